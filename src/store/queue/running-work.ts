/** How long work may take to end after its signal was aborted. */
const END_MS = 5_000

/** The work that is under way, so that it can be ended. */
export class RunningWork {
  readonly #abort = new AbortController()
  readonly #running = new Set<Promise<unknown>>()

  /** Whether what runs was cut off, and nothing may begin any more. */
  get isCutOff(): boolean {
    return this.#abort.signal.aborted
  }

  async run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const done = work(this.#abort.signal)
    this.#running.add(done)
    try {
      await done
    } finally {
      this.#running.delete(done)
    }
  }

  /** Waits for what runs; after the deadline its signal is aborted, and work that ignores that is left behind. */
  async stop({ deadlineMs }: { readonly deadlineMs: number }): Promise<void> {
    if (deadlineMs > 0) await this.#idleWithin(deadlineMs)
    this.#abort.abort(new Error('the service is stopping'))
    await this.#idleWithin(END_MS)
  }

  async #idleWithin(ms: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      resolve()
    }, ms)
    const idle = async () => {
      while (this.#running.size > 0 && !isLate) await Promise.allSettled(this.#running)
    }
    await Promise.race([idle(), late])
    clearTimeout(timer)
  }
}
