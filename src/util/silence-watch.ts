/**
 * Calls `look` when nothing has been heard for a while, and again at every tick until something is. It never decides
 * anything: what is found does.
 */
export class SilenceWatch {
  readonly #timer: NodeJS.Timeout
  readonly #options: SilenceWatchOptions
  #heardBefore = -1
  #silentTicks = 0
  #isLooking = false

  constructor(options: SilenceWatchOptions) {
    this.#options = options
    this.#timer = setInterval(() => void this.#tick(), options.everyMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #tick(): Promise<void> {
    const heard = this.#options.heard()
    this.#silentTicks = heard === this.#heardBefore ? this.#silentTicks + 1 : 0
    this.#heardBefore = heard
    const isSilent = this.#silentTicks * this.#options.everyMs >= this.#options.afterMs
    if (!isSilent || this.#isLooking) return
    this.#isLooking = true
    await this.#options.look().finally(() => {
      this.#isLooking = false
    })
  }
}

export interface SilenceWatchOptions {
  readonly afterMs: number
  readonly everyMs: number
  /** A count that grows with everything heard. Cheap: it is all the hot path pays for the watch. */
  heard(): number
  /** Must not reject. */
  look(): Promise<void>
}
