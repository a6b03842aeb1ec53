/** A credential that was revoked at another door may be let in for this long. */
const FRESH_MS = 750
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

/** Remembers for a moment what the database said of a key. Searches for the same key at the same time are one. */
export class Lookups<Found> {
  readonly #options: LookupsOptions<Found>
  readonly #known = new Map<string, Known<Found>>()
  readonly #open = new Map<string, Promise<Found | null>>()

  constructor(options: LookupsOptions<Found>) {
    this.#options = options
  }

  /** `onUnknown` is called before a search for a key that was not found lately, and may throw. */
  async find(key: string, onUnknown: () => void): Promise<Found | null> {
    const known = this.#known.get(key)
    if (known && this.isWithin(key, FRESH_MS)) return known.found
    if (!known) onUnknown()
    return this.search(key)
  }

  /** Asks the database, whatever is remembered. */
  search(key: string): Promise<Found | null> {
    const open = this.#open.get(key)
    if (open) return open
    const at = this.#options.now()
    const searching: Promise<Found | null> = this.#options
      .search(key)
      .then((found) => {
        // One that was forgotten meanwhile may have been revoked since.
        if (this.#open.get(key) === searching) this.#remember(key, found, at)
        return found
      })
      .finally(() => {
        if (this.#open.get(key) === searching) this.#open.delete(key)
      })
    this.#open.set(key, searching)
    return searching
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
