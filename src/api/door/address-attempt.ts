import type { Context } from 'hono'
import type { ApiEnv } from '../api-env.ts'
import { DoorError } from '../door-error.ts'
import type { RouteParts } from '../route-parts.ts'

/**
 * One try to be let in, counted by address. What may be a guess is counted before it is looked for, so that guessing is
 * no load on the database, and given back when it was none.
 */
export class AddressAttempt {
  readonly #rates: RouteParts['rates']
  readonly #key: string
  #isCounted = false

  constructor(c: Context<ApiEnv>, rates: RouteParts['rates']) {
    this.#rates = rates
    this.#key = `address ${c.env?.incoming?.socket.remoteAddress}`
  }

  /** Throws `too-many-requests`. */
  count(): void {
    if (this.#isCounted) return
    this.#isCounted = true
    this.#rates.take(this.#key)
  }

  succeeded(): void {
    if (this.#isCounted) this.#rates.giveBack(this.#key)
    this.#isCounted = false
  }

  /** Nothing is counted when the database could not say whether it was a guess. May throw `too-many-requests`. */
  failed(error: unknown): void {
    if (error instanceof DoorError && error.code === 'database-unreachable') this.succeeded()
    else this.count()
  }
}
