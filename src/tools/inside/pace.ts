import { setTimeout as delay } from 'node:timers/promises'

/** So many calls at once, then one in each interval: a caller in a loop is slowed down, and nothing is refused. */
export class Pace {
  readonly #everyMs: number
  readonly #burst: number
  /** When the next call would be due if there were no burst. */
  #due = 0

  constructor({ burst, everyMs }: { readonly burst: number; readonly everyMs: number }) {
    this.#burst = burst
    this.#everyMs = everyMs
  }

  /** Resolves when the caller may go on. Rejects with the signal. */
  async wait(signal: AbortSignal): Promise<void> {
    const now = performance.now()
    this.#due = Math.max(this.#due, now) + this.#everyMs
    const early = this.#due - now - this.#burst * this.#everyMs
    if (early > 0) await delay(early, undefined, { signal })
  }
}
