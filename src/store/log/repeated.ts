/** Does something about every so often, and soon when asked to; never twice at once. A failure waits for the next time. */
export class Repeated {
  readonly #work: () => Promise<void>
  readonly #everyMs: number
  #timer: NodeJS.Timeout | null = null
  #isRunning = false
  #isWanted = false
  #isStopped = false

  constructor(everyMs: number, work: () => Promise<void>) {
    this.#work = work
    this.#everyMs = everyMs
    this.#wait()
  }

  soon(): void {
    this.#isWanted = true
    if (!this.#isRunning && !this.#isStopped) void this.#run()
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  async #run(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#isRunning = true
    do {
      this.#isWanted = false
      await this.#work().catch(() => {})
    } while (this.#isWanted && !this.#isStopped)
    this.#isRunning = false
    if (!this.#isStopped) this.#wait()
  }

  /** With jitter: workers that were started together must not ask together. */
  #wait(): void {
    const waitMs = this.#everyMs * (0.8 + 0.4 * Math.random())
    this.#timer = setTimeout(() => void this.#run(), waitMs).unref()
  }
}
