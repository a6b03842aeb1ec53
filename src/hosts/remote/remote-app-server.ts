import {
  type AppServer,
  type Host,
  HostUnreachableError,
  hasCode,
  type PathFacts,
  rememberedBriefly,
  TransportClosedError,
} from '../../codex/index.ts'
import type { AppServerEnd } from '../owned-app-server.ts'
import type { AppServerProcess } from '../pool/app-server-process.ts'
import { checkAddress } from '../websocket-address.ts'
import { WebSocketChannel } from '../websocket-channel.ts'
import { connectWebSocket } from '../websocket-connect.ts'
import type { RemoteRecord } from './remote-record.ts'

/** What an app-server there needs of its host. */
export interface HostSide {
  readonly name: string
  readonly paths: PathFacts
  /** The socket here that leads to it. Rejects while the host is away. */
  reach(record: RemoteRecord, options: { signal?: AbortSignal }): Promise<string>
  /** Looks there whether they live, as far as that can be told now. Never rejects. */
  confirm(): Promise<void>
  end(record: RemoteRecord): Promise<void>
}

export interface ChannelLimits {
  readonly maxLineBytes: number
  readonly pingEveryMs: number
  readonly connectMs: number
}

/** A codex process on a host. While the host is away it counts as alive: nobody has looked. */
export class RemoteAppServer implements AppServerProcess {
  readonly record: RemoteRecord
  readonly host: Host
  readonly ended: Promise<AppServerEnd>
  readonly outlivesUs = true
  /** Other clients would need to be told of its machine. */
  readonly socketPath = null
  /** Of that machine; 0 until it was seen. */
  pid = 0
  readonly #side: HostSide
  readonly #limits: ChannelLimits
  readonly #settle: (end: AppServerEnd) => void
  #end: AppServerEnd | null = null
  #isEndWanted = false

  constructor(record: RemoteRecord, side: HostSide, limits: ChannelLimits) {
    this.record = record
    this.#side = side
    this.#limits = limits
    const { promise, resolve } = Promise.withResolvers<AppServerEnd>()
    this.ended = promise
    this.#settle = resolve
    const { realPath, kindOf } = rememberedBriefly(side.paths)
    const open: Host['open'] = (options) => this.#open(options)
    this.host = { name: `ssh:${side.name}`, machine: side.name, realPath, kindOf, open }
  }

  get id(): string {
    return this.record.id
  }

  get codexPath(): string {
    return this.record.codexPath
  }

  get codexVersion(): string {
    return this.record.codexVersion
  }

  get protection() {
    return this.record.protection
  }

  get startedAt(): number {
    return Date.parse(this.record.startedAt)
  }

  isAlive(): boolean {
    return this.#end === null
  }

  isEndWanted(): boolean {
    return this.#isEndWanted
  }

  /** It was looked for and is not there, or is of no use to anybody here any more. */
  gone(end: AppServerEnd): void {
    this.#end ??= end
    this.#settle(this.#end)
  }

  /** With everything it runs. One that cannot be reached goes on, and is ended when that is tried again. */
  async end(why: string): Promise<void> {
    if (!this.isAlive()) return
    try {
      await this.#side.end(this.record)
    } catch {
      return
    }
    this.#isEndWanted = true
    this.gone({ reason: `Drawbridge ended it: ${why}`, stderrTail: [] })
  }

  async letGo(): Promise<void> {}

  async takesConnections(): Promise<boolean> {
    return this.isAlive()
  }

  /** That is done on the host, at each look. */
  trimLog(): void {}

  async #open({ signal }: { signal?: AbortSignal } = {}): Promise<AppServer> {
    this.#refuseGone()
    try {
      return await this.#connect(signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (!hasCode(error, 'host-unreachable')) await this.#side.confirm()
      this.#refuseGone(error)
      throw hasCode(error, 'host-unreachable') ? error : new HostUnreachableError(this.#side.name, error)
    }
  }

  async #connect(signal: AbortSignal | undefined): Promise<AppServer> {
    const { maxLineBytes, pingEveryMs, connectMs: timeoutMs } = this.#limits
    const socketPath = await this.#side.reach(this.record, { signal })
    const socket = await connectWebSocket(checkAddress({ socketPath }), { timeoutMs, signal })
    const name = `codex on ${this.#side.name}`
    const explain = (closed: TransportClosedError) => this.#explain(closed)
    const channel = new WebSocketChannel(socket, { name, maxLineBytes, pingEveryMs, explain })
    return {
      channel,
      codexVersion: this.codexVersion,
      pid: null,
      outlivesUs: true,
      protection: this.protection,
      stderrTail: () => this.#end?.stderrTail ?? [],
      close: () => {
        channel.close(new TransportClosedError(`Drawbridge closed its connection to ${name}`))
        return channel.ended
      },
    }
  }

  /** Most often only the connection is gone. */
  async #explain(closed: TransportClosedError): Promise<TransportClosedError> {
    await this.#side.confirm()
    return this.#end ? this.#closed(this.#end, closed) : closed
  }

  #refuseGone(cause?: unknown): void {
    if (this.#end) throw this.#closed(this.#end, cause)
  }

  #closed({ reason, stderrTail }: AppServerEnd, cause: unknown): TransportClosedError {
    return new TransportClosedError(reason, { hasCodexEnded: true, stderrTail, cause })
  }
}
