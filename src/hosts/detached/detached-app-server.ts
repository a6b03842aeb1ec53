import type { ChildProcess } from 'node:child_process'
import { type AppServer, type Host, TransportClosedError } from '../../codex/index.ts'
import type { DetachedRecord } from '../app-server-record.ts'
import { endTree } from '../local/end-tree.ts'
import { localPaths } from '../local/path-facts.ts'
import { type AppServerEnd, toEnd } from '../owned-app-server.ts'
import { isAlive, type ProcessIdentity, signal } from '../processes.ts'
import { removeRecord } from '../registry.ts'
import { removeFiles } from '../remove-files.ts'
import { until } from '../until.ts'
import { checkAddress } from '../websocket-address.ts'
import { WebSocketChannel } from '../websocket-channel.ts'
import { connectWebSocket } from '../websocket-connect.ts'
import { type Exit, watchExit } from './exit.ts'
import { redactStderrLog, stderrTailOf, trimStderrLog } from './stderr-log.ts'

export interface DetachedOptions {
  readonly registryDir: string
  readonly maxLineBytes: number
  readonly pingEveryMs: number
}

const STDERR_LINES_IN_REASON = 12
/** A connection that closes is mostly the first sign of an exit; this long the exit may take to show. */
const EXIT_AFTER_CLOSE_MS = 500
/** On SIGTERM codex lets running turns finish; those nobody holds may take this long. */
const PATIENCE = { termMs: 10_000, leftoverTermMs: 1_000 }

/** A codex process that listens on a private socket and lives on when we are gone. */
export class DetachedAppServer {
  readonly outlivesUs = true
  readonly record: DetachedRecord
  readonly ended: Promise<AppServerEnd>
  readonly host: Host
  readonly #identity: ProcessIdentity
  readonly #options: DetachedOptions
  readonly #exit: Exit
  readonly #settleEnd: (end: AppServerEnd) => void
  #endedFor: string | null = null
  /** How much of its log has been looked through for secrets. */
  #redactedBytes = 0
  #ending: Promise<void> | undefined

  /** `child` is the process where it is ours; null for one that an earlier Drawbridge has started. */
  constructor(record: DetachedRecord, child: ChildProcess | null, options: DetachedOptions) {
    this.record = record
    this.#identity = { pid: record.pid, start: record.start }
    this.#options = options
    const { promise, resolve } = Promise.withResolvers<AppServerEnd>()
    this.ended = promise
    this.#settleEnd = resolve
    const name = `unix:${record.detached.socketPath}`
    this.host = { name, ...localPaths, open: (limit) => this.#connect(limit) }
    this.#exit = watchExit(this.#identity, child)
    void this.#exit.happened.then(() => this.#end())
  }

  isAlive(): boolean {
    return this.#ending === undefined && isAlive(this.#identity)
  }

  stderrTail(lines?: number): readonly string[] {
    return stderrTailOf(this.record.detached.stderrPath, lines)
  }

  /** Whether it takes a connection; one that does not may be stopped, stuck, or have lost its socket. */
  async takesConnections(timeoutMs: number): Promise<boolean> {
    try {
      const connection = await this.#connect({ signal: AbortSignal.timeout(timeoutMs) })
      await connection.close()
      return true
    } catch {
      return false
    }
  }

  trimLog(): void {
    const { stderrPath } = this.record.detached
    this.#redactedBytes = redactStderrLog(stderrPath, this.#redactedBytes)
    trimStderrLog(stderrPath)
  }

  /** Ends it with everything it started. */
  end(why: string): Promise<void> {
    if (!this.#ending) this.#endedFor = why
    return this.#end()
  }

  /** Stops watching it; it goes on. */
  async letGo(): Promise<void> {
    this.#exit.stop()
  }

  #end(): Promise<void> {
    this.#ending ??= this.#endOnce()
    return this.#ending
  }

  async #endOnce(): Promise<void> {
    const { id, session, detached } = this.record
    const wasEndedByUs = isAlive(this.#identity)
    const { survivors } = await endTree(
      {
        identity: this.#identity,
        marker: id,
        hasSession: !session, // where it has no name, it must do that the process lives or has just died
        sessionName: session ?? null,
        isGone: () => !isAlive(this.#identity),
        signal: (name) => signal(this.#identity, name),
      },
      PATIENCE,
    )
    this.#exit.stop()
    const how =
      wasEndedByUs && this.#endedFor ? `Drawbridge ended it: ${this.#endedFor}` : await this.#exit.how()
    const end = toEnd(how, this.stderrTail())
    // A record with survivors stays: whoever takes over after us tries again.
    if (survivors.length === 0) removeRecord(this.#options.registryDir, id)
    removeFiles(detached.socketPath, detached.stderrPath)
    this.#settleEnd(end)
  }

  async #connect({ signal: abort }: { signal?: AbortSignal } = {}): Promise<AppServer> {
    const address = checkAddress({ socketPath: this.record.detached.socketPath })
    const channel = new WebSocketChannel(await connectWebSocket(address, { signal: abort }), {
      ...this.#options,
      name: address.name,
      explain: (closed) => this.#explain(closed),
    })
    return {
      channel,
      codexVersion: this.record.codexVersion,
      pid: this.record.pid,
      outlivesUs: true,
      protection: this.record.detached.protection ?? null,
      stderrTail: (lines) => this.stderrTail(lines),
      close: () => {
        channel.close(new TransportClosedError(`Drawbridge closed its connection to ${address.name}`))
        return channel.ended
      },
    }
  }

  /** A stopped process is not a dead one: then only the connection is gone. */
  async #explain(closed: TransportClosedError): Promise<TransportClosedError> {
    if (!(await until(() => !isAlive(this.#identity), EXIT_AFTER_CLOSE_MS))) return closed
    const stderrTail = this.stderrTail(STDERR_LINES_IN_REASON)
    return new TransportClosedError(await this.#exit.how(), {
      stderrTail,
      hasCodexEnded: true,
      cause: closed,
    })
  }
}
