// `drawbridge serve`, as people run it: started, spoken to over HTTP, killed, started again. A call that the kill
// interrupts is made again by its caller.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { ApiError, connect, type DrawbridgeClient, readToken } from '../../../src/api/index.ts'
import { PROGRAM } from '../../support/program.ts'

/** It is meant to die often, and to do much at once. */
const SETTINGS = { maxWorking: 20, appServers: { crashLoop: { count: 10_000, withinMs: 60_000 } } }

export class KillableService {
  readonly #dataDir: string
  readonly #port: number
  #child: ChildProcess | null = null
  #client: DrawbridgeClient | null = null

  constructor(dataDir: string, port: number) {
    this.#dataDir = dataDir
    this.#port = port
    writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify(SETTINGS), { mode: 0o600 })
  }

  /** Speaks to whichever service runs now. */
  get client(): DrawbridgeClient {
    if (!this.#client) throw new Error('it was never started')
    return this.#client
  }

  async start(): Promise<void> {
    const args = [PROGRAM, 'serve', '--data-dir', this.#dataDir, '--port', String(this.#port), '--json']
    const env = { ...process.env, NODE_COMPILE_CACHE: 'node_modules/.cache/compiled' }
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env })
    this.#child = child
    const said = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
    const first = await Promise.race([said, once(child, 'exit').then(() => null)])
    if (first === null) throw new Error('the service ended before it served')
    const { url } = JSON.parse(first[0]) as { url: string }
    this.#client ??= connect({ url, token: readToken(this.#dataDir)!, actor: 'test' })
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

/** The kill came between a call and its answer, or nobody is there yet. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'unreachable' || error.code === 'unavailable')
}
