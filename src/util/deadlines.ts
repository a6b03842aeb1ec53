/** Calls back for each id when its time has come. The times themselves are in the store. */
export class Deadlines {
  readonly #now: () => number
  readonly #onDue: (id: string) => void
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(now: () => number, onDue: (id: string) => void) {
    this.#now = now
    this.#onDue = onDue
  }

  /** null: it has none. */
  set(id: string, at: number | null): void {
    this.clear(id)
    if (at === null) return
    const waitMs = Math.max(at - this.#now(), 0)
    const timer = setTimeout(
      () => (waitMs > LONGEST_MS ? this.set(id, at) : this.#due(id)),
      Math.min(waitMs, LONGEST_MS),
    )
    this.#timers.set(id, timer.unref())
  }

  clear(id: string): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  #due(id: string): void {
    this.#timers.delete(id)
    this.#onDue(id)
  }
}

const LONGEST_MS = 2 ** 31 - 1
