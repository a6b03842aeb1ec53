const MAX_KNOWN = 1000

export interface LookupsOptions<Found> {
  /** null: there is none. Rejects when that cannot be known. */
  readonly search: (key: string) => Promise<Found | null>
  readonly now: () => number
}

interface Known<Found> {
  readonly found: Found
  readonly at: number
}

interface Open<Found> {
  readonly answer: Promise<Found | null>
  /** For those who asked after it had begun: what was revoked since must not be let in by its answer. */
  next: Promise<Found | null> | null
}

/**
 * Asks the database each time: what is revoked at one door is refused at every door from then on. Remembers which keys
 * were good lately, to tell them from guesses, and for a database that is away.
 */
export class Lookups<Found> {
  readonly #options: LookupsOptions<Found>
  readonly #known = new Map<string, Known<Found>>()
  readonly #open = new Map<string, Open<Found>>()

  constructor(options: LookupsOptions<Found>) {
    this.#options = options
  }

  /** `onUnknown` is called before a search for a key that was not found lately, and may throw. */
  async find(key: string, onUnknown: () => void): Promise<Found | null> {
    if (!this.#known.has(key)) onUnknown()
    return this.search(key)
  }

  /** An answer from after this call. At most two searches for a key are under way, however many ask. */
  search(key: string): Promise<Found | null> {
    const open = this.#open.get(key)
    if (!open) return this.#begin(key)
    open.next ??= open.answer.then(() => this.#begin(key))
    return open.next
  }

  #begin(key: string): Promise<Found | null> {
    const at = this.#options.now()
    const answer = this.#options
      .search(key)
      .then((found) => {
        // One that was forgotten meanwhile may have been revoked since.
        if (this.#open.get(key) === open) this.#remember(key, found, at)
        return found
      })
      .finally(() => {
        if (this.#open.get(key) === open) this.#open.delete(key)
      })
    const open: Open<Found> = { answer, next: null }
    this.#open.set(key, open)
    return answer
  }

  /** Whether the key was found within this time. */
  isWithin(key: string, ms: number): boolean {
    const known = this.#known.get(key)
    const age = known ? this.#options.now() - known.at : Number.NaN
    return age >= 0 && age < ms
  }

  forget(key: string): void {
    this.#known.delete(key)
    this.#open.delete(key)
  }

  forgetAll(): void {
    this.#known.clear()
    this.#open.clear()
  }

  #remember(key: string, found: Found | null, at: number): void {
    // Re-insert: Map order is least recently used first.
    this.#known.delete(key)
    if (found === null) return
    this.#known.set(key, { found, at })
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value!)
  }
}
