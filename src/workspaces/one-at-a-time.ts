/** Work on the same thing waits for the work before it; work on other things does not. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>()

  /** In the order of the calls. A failure is its caller's alone. */
  async do<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const mine = (before ?? Promise.resolve()).catch(() => {}).then(work)
    this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }

  /** Resolves when nothing is being done. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled(this.#last.values())
  }
}
