// The least that can drive codex: readline and JSON.parse. What the benchmarks measure ours against.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { protocol } from '../src/codex/index.ts'
import { localHost } from '../src/hosts/index.ts'

/** The same for every app-server that is compared: some variables make codex slower. */
export const BENCH_ENV = { PATH: process.env.PATH, HOME: process.env.HOME }

export interface BareReader {
  startThread(cwd: string): Promise<string>
  /** Resolves when the turn is completed. */
  turn(threadId: string, text: string): Promise<void>
  end(): Promise<void>
}

interface BareReaderOptions {
  readonly home: string
  /** Everything codex says by itself. */
  readonly onNotification?: (notification: protocol.ServerNotification) => void
}

export async function openBareReader({ home, onNotification }: BareReaderOptions): Promise<BareReader> {
  const { path: codexPath } = await localHost({ registryDir: null }).inspect()
  const env = { ...BENCH_ENV, CODEX_HOME: home, RUST_LOG: 'warn' }
  const child = spawn(codexPath, ['app-server'], { env, stdio: ['pipe', 'pipe', 'ignore'], detached: true })
  let lastId = 0
  const waiting = new Map<number | string, (result: unknown) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const parsed = JSON.parse(line)
    if (parsed.method) onNotification?.(parsed)
    const key = parsed.method ?? parsed.id
    waiting.get(key)?.(parsed.result)
    waiting.delete(key)
  })
  const when = (key: number | string) => new Promise<unknown>((resolve) => waiting.set(key, resolve))
  const request = (method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ id: ++lastId, method, params })}\n`)
    return when(lastId)
  }
  await request('initialize', { clientInfo: { name: 'bare', version: '0' } })
  return {
    async startThread(cwd) {
      const params = { cwd, sandbox: 'read-only', approvalPolicy: 'on-request' }
      return ((await request('thread/start', params)) as { thread: { id: string } }).thread.id
    },
    async turn(threadId, text) {
      const completed = when('turn/completed')
      await request('turn/start', { threadId, input: [{ type: 'text', text }] })
      await completed
    },
    async end() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}
