// The books of the run: what has been started and has not settled, what happened how often, what must not have.

/** Generous: the machine may be busy with other things. */
const DEADLINE_MS = 40_000

const MAX_VIOLATIONS = 25

export class Ledger {
  readonly violations: string[] = []
  readonly #counts = new Map<string, number>()
  readonly #open = new Set<{ readonly what: string }>()

  /** What has not settled. */
  get open(): string[] {
    return [...this.#open].map(({ what }) => what)
  }

  count(what: string): void {
    this.#counts.set(what, this.counted(what) + 1)
  }

  counted(what: string): number {
    return this.#counts.get(what) ?? 0
  }

  /** How often each of these happened: `turn completed` under `turn ` is `completed`. */
  countedUnder(prefix: string): [what: string, count: number][] {
    return [...this.#counts]
      .filter(([what]) => what.startsWith(prefix))
      .map(([what, count]): [string, number] => [what.slice(prefix.length), count])
      .sort(([, a], [, b]) => b - a)
  }

  violated(what: string): void {
    if (this.violations.length < MAX_VIOLATIONS) this.violations.push(what)
    console.error(`VIOLATION ${what}`)
  }

  /** The same promise, which is late, and a violation, when it has not settled at the deadline. */
  async track<T>(what: string, promise: Promise<T>): Promise<T> {
    const entry = { what }
    this.#open.add(entry)
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error(`${what} has not settled in ${DEADLINE_MS} ms`)),
      DEADLINE_MS,
    )
    const settled = () => void this.#open.delete(entry)
    promise.then(settled, settled)
    try {
      return await Promise.race([promise, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
