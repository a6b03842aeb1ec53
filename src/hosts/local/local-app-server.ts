import { type Protection, TransportClosedError } from '../../codex/index.ts'
import { type AppServerEnd, howItEnded, type OwnedAppServer, toEnd } from '../owned-app-server.ts'
import { identify, type ProcessIdentity } from '../processes.ts'
import { type EndedTree, endTree } from './end-tree.ts'
import { type PipedChild, StdioChannel } from './stdio-channel.ts'

export interface LocalAppServerOptions {
  readonly marker: string
  readonly codexVersion: string
  readonly protection: Protection | null
  readonly maxLineBytes: number
  readonly onFirstOutput: () => void
  /** Called once, when the process and all it started are gone, or as gone as we could make them. */
  readonly onEnded: (ended: EndedTree) => void
}

/** A codex process of ours. When it ends by itself, what it left behind is ended too. */
export class LocalAppServer implements OwnedAppServer {
  readonly pid: number
  readonly codexVersion: string
  readonly protection: Protection | null
  readonly channel: StdioChannel
  readonly identity: ProcessIdentity | null
  readonly ended: Promise<AppServerEnd>
  readonly #child: PipedChild
  readonly #options: LocalAppServerOptions
  readonly #settleEnd: (end: AppServerEnd) => void
  #ending: Promise<void> | undefined

  /** The child must just have been spawned, as the leader of its own session. */
  constructor(child: PipedChild, options: LocalAppServerOptions) {
    this.pid = child.pid!
    this.codexVersion = options.codexVersion
    this.protection = options.protection
    this.identity = identify(this.pid)
    this.#child = child
    this.#options = options
    this.channel = new StdioChannel(child, options)
    const { promise, resolve } = Promise.withResolvers<AppServerEnd>()
    this.ended = promise
    this.#settleEnd = resolve
    child.once('exit', () => void this.#end())
  }

  stderrTail(lines?: number): readonly string[] {
    return this.channel.stderrTail(lines)
  }

  close(): Promise<void> {
    this.channel.close(new TransportClosedError('Drawbridge closed this app-server'))
    return this.#end()
  }

  #end(): Promise<void> {
    this.#ending ??= this.#endOnce()
    return this.#ending
  }

  async #endOnce(): Promise<void> {
    const child = this.#child
    const ended = await endTree({
      identity: this.identity,
      marker: this.#options.marker,
      hasSession: true,
      isGone: () => child.exitCode !== null || child.signalCode !== null,
      endInput: () => child.stdin.end(),
      signal: (name) => child.kill(name), // Node holds the process until its exit is told: this hits no other
    })
    // Without an exit there is nothing to wait for: it is stuck in the kernel, and reported as a survivor.
    if (child.exitCode !== null || child.signalCode !== null) await this.channel.drained
    this.#options.onEnded(ended)
    this.#settleEnd(toEnd(howItEnded(child), this.stderrTail()))
  }
}
