// One reader of events. It is fed as fast as it reads: what waits for it is bounded, and beyond that the log is the
// buffer, from which it goes on when it has caught up.
import { DrawbridgeError } from '../../codex/index.ts'
import type { TaskEvent } from '../../tasks/index.ts'
import type { ApiLimits } from '../api-options.ts'
import { eventMessage } from './event-text.ts'
import { ReaderBuffer } from './reader-buffer.ts'

export interface StreamSource {
  /** Events after this sequence, until the signal. */
  readonly follow: (after: number, signal: AbortSignal) => AsyncIterable<TaskEvent>
  readonly after: number
  /** Whether it can go on after a sequence. Otherwise a reader that falls behind has to start over. */
  readonly isResumable: boolean
}

export interface StreamParts {
  readonly limits: Pick<ApiLimits, 'heartbeatMs' | 'streamBuffer' | 'behindMs' | 'stalledMs'>
  readonly now: () => number
  /** Ends the connection of a reader that takes nothing. */
  readonly disconnect: () => void
  readonly onEnd: () => void
  readonly onError: (error: unknown) => void
}

export class EventStream {
  readonly #source: StreamSource
  readonly #parts: StreamParts
  readonly #buffer: ReaderBuffer
  readonly #heartbeat: NodeJS.Timeout
  #following = new AbortController()
  #after: number
  #isEnded = false

  constructor(source: StreamSource, parts: StreamParts) {
    this.#source = source
    this.#parts = parts
    this.#after = source.after
    this.#buffer = new ReaderBuffer({ now: parts.now, onGone: () => this.#end() })
    this.#heartbeat = setInterval(() => this.#beat(), parts.limits.heartbeatMs)
    this.#heartbeat.unref()
    this.#buffer.append('retry: 1000\n\n')
    void this.#run()
  }

  get body(): ReadableStream<Uint8Array> {
    return this.#buffer.body
  }

  /** Tells the reader why and ends; it comes back by itself. */
  close(why: string): void {
    this.#buffer.append(`: ${why}\n\n`)
    this.#end()
  }

  async #run(): Promise<void> {
    try {
      while (!this.#isEnded) {
        const isBehind = await this.#follow()
        if (!isBehind || !this.#source.isResumable) break
        await this.#buffer.drained()
      }
    } catch (error) {
      // A task that is gone meanwhile is no accident.
      if (!this.#isEnded && !(error instanceof DrawbridgeError)) this.#parts.onError(error)
    }
    this.#end()
  }

  /** Until it ends (false) or the reader cannot keep up (true). */
  async #follow(): Promise<boolean> {
    this.#following = new AbortController()
    const events = this.#source.follow(this.#after, this.#following.signal)
    try {
      for await (const event of events) {
        if (this.#isEnded) return false
        this.#after = event.seq
        this.#buffer.append(eventMessage(event, { hasId: this.#source.isResumable }))
        if (this.#buffer.size >= this.#parts.limits.streamBuffer && !(await this.#keepsUp())) return true
      }
      return false
    } finally {
      this.#following.abort()
    }
  }

  async #keepsUp(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<false>()
    const timer = setTimeout(() => resolve(false), this.#parts.limits.behindMs)
    const drained = this.#buffer.drained().then(() => true)
    return Promise.race([drained, promise]).finally(() => clearTimeout(timer))
  }

  #beat(): void {
    if (this.#buffer.size === 0) this.#buffer.append(': here\n\n')
    else if (this.#buffer.stalledMs >= this.#parts.limits.stalledMs) {
      this.#end()
      this.#parts.disconnect()
    }
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearInterval(this.#heartbeat)
    this.#following.abort()
    this.#buffer.end()
    this.#parts.onEnd()
  }
}
