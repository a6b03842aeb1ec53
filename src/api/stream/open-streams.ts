import { DoorError } from '../door-error.ts'

interface Closable {
  close(why: string): void
}

/** Everything that stays open on purpose: streams and long polls, counted by credential. */
export class OpenStreams {
  readonly #maxPerCredential: number
  readonly #counts = new Map<string, number>()
  readonly #streams = new Set<Closable>()
  readonly #closing = new AbortController()

  constructor(maxPerCredential: number) {
    this.#maxPerCredential = maxPerCredential
  }

  get count(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Aborted when all are to end. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Takes a place; throws when there is none. Returns how to give it back, once. */
  enter(credentialId: string): () => void {
    if (this.closing.aborted) throw new DoorError('unavailable', 'the service is stopping')
    const count = this.#counts.get(credentialId) ?? 0
    if (count >= this.#maxPerCredential)
      throw new DoorError('too-many-streams', `at most ${this.#maxPerCredential} streams at once`, {
        headers: { 'retry-after': '5' },
      })
    this.#counts.set(credentialId, count + 1)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      const left = this.#counts.get(credentialId)! - 1
      if (left === 0) this.#counts.delete(credentialId)
      else this.#counts.set(credentialId, left)
    }
  }

  add(stream: Closable): void {
    this.#streams.add(stream)
  }

  remove(stream: Closable): void {
    this.#streams.delete(stream)
  }

  closeAll(why: string): void {
    this.#closing.abort()
    for (const stream of this.#streams) stream.close(why)
  }
}
