import { DoorError } from '../door-error.ts'

/** Longer than this nobody waits to hear whether they are let in. */
const DEADLINE_MS = 2000
/** Questions that the database has not answered, those included whose deadline is over. */
const MAX_OPEN = 100

/**
 * Asks a database that may be away. Whatever goes wrong is `database-unreachable` to the caller; `onError` hears of the
 * cause once until an answer comes again.
 */
export class ReachDatabase {
  readonly #onError: (error: unknown) => void
  #isAway = false
  #open = 0

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** What was asked for may still be done after the deadline. */
  async ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    const { promise, reject } = Promise.withResolvers<never>()
    const late = () => reject(new Error(`the database has not answered within ${DEADLINE_MS} ms`))
    const timer = setTimeout(late, DEADLINE_MS)
    try {
      const answer = await Promise.race([this.#counted(question), promise])
      this.#isAway = false
      return answer
    } catch (cause) {
      if (!this.#isAway) this.#onError(cause)
      this.#isAway = true
      throw unreachable(cause)
    } finally {
      clearTimeout(timer)
    }
  }

  async #counted<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    if (this.#open >= MAX_OPEN) throw new Error(`the database has ${MAX_OPEN} questions to answer`)
    this.#open++
    try {
      return await question()
    } finally {
      this.#open--
    }
  }
}

/** The cause is for logs: it may name the server. */
function unreachable(cause: unknown): DoorError {
  const message = 'the database cannot be reached, so it is not known who is let in; try again'
  return new DoorError('database-unreachable', message, { headers: { 'retry-after': '1' }, cause })
}
