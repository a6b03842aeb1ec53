// A real `codex exec-server` on loopback with a home of its own, which stands for another machine.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { ThreadEnvironment } from '../../src/codex/index.ts'
import { localHost } from '../../src/hosts/index.ts'
import { makeWorkspace } from '../../src/testing/index.ts'
import { bundledCodex } from './raw-codex.ts'

const TOKEN = 'a token of the test'
const STARTS_MS = 20_000

export interface OtherMachine {
  readonly home: string
  /** A folder to work in. */
  readonly cwd: string
  readonly url: string
  readonly token: string
  /** As if the machine lost its power. */
  kill(): Promise<void>
  /** On the same port as before. */
  start(): Promise<void>
}

/** Ends with the test. */
export async function startOtherMachine(): Promise<OtherMachine> {
  const root = await makeWorkspace()
  const home = path.join(root.path, 'home')
  const cwd = path.join(root.path, 'project')
  for (const each of [home, cwd]) mkdirSync(each)
  let server = await startServer(home, 0)
  const port = Number(new URL(server.url).port)
  const kill = async () => {
    if (server.child.exitCode !== null || server.child.signalCode !== null) return
    server.child.kill('SIGKILL')
    await once(server.child, 'exit')
  }
  onTestFinished(async () => {
    await kill()
    await root.remove()
  })
  const start = async () => {
    server = await startServer(home, port)
  }
  return { home, cwd, url: server.url, token: TOKEN, kill, start }
}

async function startServer(home: string, port: number): Promise<{ child: ChildProcess; url: string }> {
  const digest = createHash('sha256').update(TOKEN).digest('hex')
  const auth = ['--ws-auth', 'capability-token', '--ws-token-sha256', digest]
  const args = ['exec-server', '--listen', `ws://127.0.0.1:${port}`, ...auth]
  const env = { PATH: process.env.PATH, HOME: home, MACHINE: 'the other one', THEIR_TOKEN: 'a secret there' }
  const child = spawn(path.resolve(bundledCodex()), args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const signal = AbortSignal.timeout(STARTS_MS)
  let said = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  while (!/ws:\S+:[1-9]\d*/.test(said)) await once(child.stdout!, 'data', { signal })
  return { child, url: /ws:\S+/.exec(said)![0] }
}

/** As a thread is given it. `protectedPaths` are what its commands must not read there. */
export function environmentOf(
  { url, token }: OtherMachine,
  {
    localFolder,
    protectedPaths = [],
    name = 'box',
  }: { localFolder: string; protectedPaths?: readonly string[]; name?: string },
): ThreadEnvironment {
  const { realPath, kindOf } = localHost()
  const open = async () => ({ url, token, protectedPaths })
  return { name, localFolder, paths: { realPath: realPath!, kindOf: kindOf! }, open }
}
