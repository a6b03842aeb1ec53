import { DrawbridgeError } from '../../codex/index.ts'

/** codex ended unexpectedly too often: it is left alone for a while. */
export class AppServerCrashLoopError extends DrawbridgeError {
  declare readonly code: 'app-server-crash-loop'
  /** When it may be tried again, in milliseconds since 1970. */
  readonly retryAt: number
  /** Why it ended the last time. */
  readonly lastReason: string

  constructor(message: string, options: { retryAt: number; lastReason: string }) {
    super(message, { code: 'app-server-crash-loop', retryable: true })
    this.retryAt = options.retryAt
    this.lastReason = options.lastReason
  }
}

/** Remembers unexpected ends, by what was started, and refuses to start it once more when there were too many. */
export class CrashLoop {
  readonly #count: number
  readonly #withinMs: number
  readonly #ends = new Map<string, { at: number; reason: string }[]>()

  constructor({ count, withinMs }: { readonly count: number; readonly withinMs: number }) {
    this.#count = count
    this.#withinMs = withinMs
  }

  note(key: string, end: { at: number; reason: string }): void {
    this.#ends.set(key, [...(this.#ends.get(key) ?? []), end].slice(-this.#count))
  }

  refuse(key: string, now: number): void {
    const ends = (this.#ends.get(key) ?? []).filter(({ at }) => now - at < this.#withinMs)
    if (ends.length < this.#count) return
    const retryAt = ends[0]!.at + this.#withinMs
    const lastReason = ends.at(-1)!.reason
    const minutes = Math.ceil((ends.at(-1)!.at - ends[0]!.at) / 60_000)
    throw new AppServerCrashLoopError(
      `codex ended unexpectedly ${ends.length} times within ${minutes} min and is not started again before ${new Date(retryAt).toISOString()}: ${lastReason}`,
      { retryAt, lastReason },
    )
  }
}
