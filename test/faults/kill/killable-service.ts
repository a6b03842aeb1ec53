// `drawbridge serve`, as people run it: started, spoken to over HTTP, killed, started again. A call that the kill
// interrupts is made again by its caller.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { ApiError, connect, type DrawbridgeClient, readToken } from '../../../src/api/index.ts'
import { PROGRAM } from '../../support/program.ts'

/** It is meant to die often, and to do much at once. */
const SETTINGS = { maxWorking: 20, appServers: { crashLoop: { count: 10_000, withinMs: 60_000 } } }

interface KillableOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  readonly actor?: string
  /** The file for what it says on stderr. */
  readonly toldIn?: string
}

export class KillableService {
  readonly #dataDir: string
  readonly #port: number
  readonly #options: KillableOptions
  #child: ChildProcess | null = null
  #client: DrawbridgeClient | null = null

  constructor(dataDir: string, port: number, options: KillableOptions = {}) {
    this.#dataDir = dataDir
    this.#port = port
    this.#options = options
    const settings = JSON.stringify({ ...SETTINGS, ...options.settings })
    writeFileSync(path.join(dataDir, 'settings.json'), settings, { mode: 0o600 })
  }

  get pid(): number {
    return this.#child!.pid!
  }

  /** Speaks to whichever service runs now. */
  get client(): DrawbridgeClient {
    if (!this.#client) throw new Error('it was never started')
    return this.#client
  }

  /** What it said on stderr. */
  get toldIn(): string {
    return this.#options.toldIn ?? path.join(this.#dataDir, 'told.txt')
  }

  async start(): Promise<void> {
    const args = [PROGRAM, 'serve', '--data-dir', this.#dataDir, '--port', String(this.#port), '--json']
    const { env: more, actor = 'test' } = this.#options
    const env = { ...process.env, NODE_COMPILE_CACHE: 'node_modules/.cache/compiled', ...more }
    const told = openSync(this.toldIn, 'a')
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', told], env })
    closeSync(told)
    this.#child = child
    const said = once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>
    const first = await Promise.race([said, once(child, 'exit').then(() => null)])
    if (first === null) throw new Error('the service ended before it served')
    const { url } = JSON.parse(first[0]) as { url: string }
    this.#client ??= connect({ url, token: readToken(this.#dataDir)!, actor })
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  /** With its app-servers, and everything in them. */
  async end(): Promise<void> {
    const exited = once(this.#child!, 'exit')
    await this.client.shutdown({ drain: true })
    await exited
  }
}

const GONE = [
  ...['unreachable', 'unavailable', 'timeout', 'request-incomplete'],
  ...['worker-unreachable', 'database-unreachable'],
]

/** The fault came between a call and its answer, or nobody is there yet. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && GONE.includes(error.code)
}
