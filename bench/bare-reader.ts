// The least that can drive codex: readline and JSON.parse. What the benchmarks measure ours against.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { protocol } from '../src/codex/index.ts'
import { localHost } from '../src/hosts/index.ts'

/** The same for every app-server that is compared: some variables make codex slower. */
export const BENCH_ENV = { PATH: process.env.PATH, HOME: process.env.HOME }

export interface BareReader {
  /** Of codex. */
  readonly pid: number
  startThread(cwd: string): Promise<string>
  /** Resolves when the turn is completed. */
  turn(threadId: string, text: string): Promise<void>
  end(): Promise<void>
}

interface BareReaderOptions {
  readonly home: string
  /** Everything codex says by itself. */
  readonly onNotification?: (notification: protocol.ServerNotification) => void
  /** Speaks to codex over a WebSocket at this path, as the service does; by default over pipes. */
  readonly socketPath?: string
}

interface Line {
  send(text: string): void
  end(): void
}

export async function openBareReader(options: BareReaderOptions): Promise<BareReader> {
  const { home, onNotification, socketPath } = options
  const { path: codexPath } = await localHost({ registryDir: null }).inspect()
  const env = { ...BENCH_ENV, CODEX_HOME: home, RUST_LOG: 'warn' }
  const args = ['app-server', ...(socketPath === undefined ? [] : ['--listen', `unix://${socketPath}`])]
  const child = spawn(codexPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'], detached: true })
  const exited = once(child, 'exit')
  let lastId = 0
  const waiting = new Map<number | string, (result: unknown) => void>()
  const receive = (text: string) => {
    const parsed = JSON.parse(text)
    if (parsed.method) onNotification?.(parsed)
    const key = parsed.method ?? parsed.id
    waiting.get(key)?.(parsed.result)
    waiting.delete(key)
  }
  const line = socketPath === undefined ? overPipes(child, receive) : await overSocket(socketPath, receive)
  const when = (key: number | string) => new Promise<unknown>((resolve) => waiting.set(key, resolve))
  const request = (method: string, params: object) => {
    line.send(JSON.stringify({ id: ++lastId, method, params }))
    return when(lastId)
  }
  await request('initialize', { clientInfo: { name: 'bare', version: '0' } })
  return {
    pid: child.pid!,
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
      line.end()
      // One that listens does not end with its last connection.
      if (socketPath !== undefined) child.kill()
      await exited
    },
  }
}

function overPipes(child: ChildProcess, receive: (text: string) => void): Line {
  createInterface({ input: child.stdout! }).on('line', receive)
  return { send: (text) => void child.stdin!.write(`${text}\n`), end: () => void child.stdin!.end() }
}

async function overSocket(path: string, receive: (text: string) => void): Promise<Line> {
  while (!existsSync(path)) await delay(20)
  const socket = new WebSocket(`ws+unix://${path}`, { perMessageDeflate: false, skipUTF8Validation: true })
  socket.on('message', (frame: Buffer) => receive(frame.toString('utf8')))
  await once(socket, 'open')
  return { send: (text) => socket.send(text), end: () => socket.terminate() }
}
