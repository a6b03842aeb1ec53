import { DoorError } from '../door-error.ts'

interface Bucket {
  left: number
  filledAt: number
}

const MAX_BUCKETS = 10_000

/** Each key may do `burst` at once, and gets `perSecond` of it back every second. */
export class RateLimit {
  readonly #burst: number
  readonly #perSecond: number
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

  constructor({ burst, perSecond, now }: { burst: number; perSecond: number; now: () => number }) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#now = now
  }

  /** Throws `too-many-requests` when there is nothing left. */
  take(key: string): void {
    const now = this.#now()
    const { left, filledAt } = this.#buckets.get(key) ?? { left: this.#burst, filledAt: now }
    const filled = Math.min(this.#burst, left + (Math.max(0, now - filledAt) / 1000) * this.#perSecond)
    // Put last, so that the first is the one unused for longest.
    this.#buckets.delete(key)
    this.#buckets.set(key, { left: Math.max(0, filled - 1), filledAt: now })
    if (this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value!)
    if (filled < 1)
      throw new DoorError('too-many-requests', 'too many requests; come back in a second', {
        headers: { 'retry-after': '1' },
      })
  }

  /** What was taken turned out to be fine. */
  giveBack(key: string): void {
    const bucket = this.#buckets.get(key)
    if (bucket) bucket.left = Math.min(this.#burst, bucket.left + 1)
  }
}
