// The service, for a program that outlives it: found again after a restart, and started where that is meant.
import type { DrawbridgeClient, Token } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import type { Surroundings } from '../process/index.ts'
import {
  dataDirOf,
  findService,
  type ServiceFlags,
  serviceClient,
  wasServiceKilled,
} from '../service/index.ts'
import { agentToken } from './agent-token.ts'

/** A start takes its time; each attempt waits for one. */
const MAX_ATTEMPTS = 3

export class ServiceLink {
  readonly #flags: ServiceFlags
  readonly #surroundings: Surroundings
  readonly #folder: string
  readonly #as: string
  #token: Token | null = null
  #client: Promise<DrawbridgeClient> | null = null

  constructor(flags: ServiceFlags & { readonly as: string }, surroundings: Surroundings) {
    this.#flags = flags
    this.#surroundings = surroundings
    this.#folder = dataDirOf(flags, surroundings)
    this.#as = flags.as
  }

  /** The token it acts as; null before the service was first reached. */
  get token(): Token | null {
    return this.#token
  }

  /**
   * A call whose connection broke is made again, and told so; one that `isOnce` only if the service never got it. With
   * `mayStart` a service that a person has stopped is started; one that was killed always is.
   */
  async call<T>(
    run: (client: DrawbridgeClient, call: { isAgain: boolean }) => Promise<T>,
    { mayStart = false, isOnce = false }: { mayStart?: boolean; isOnce?: boolean } = {},
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      this.#client ??= this.#open(mayStart)
      const opening = this.#client
      const client = await opening.catch((error: unknown) => this.#forget(opening, error))
      try {
        return await run(client, { isAgain: attempt > 1 })
      } catch (error) {
        const isGone = error instanceof DrawbridgeError && error.code === 'unreachable'
        if (!isGone) throw error
        if (this.#client === opening) this.#client = null
        if (isOnce && !wasRefused(error)) throw unknownOutcome(error)
        if (attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  /** Starts the service if it was killed. For a stream, which looks by itself for where it is. */
  revive(): void {
    this.#client = null
    void this.call(async () => undefined).catch(() => undefined)
  }

  #forget(opening: Promise<DrawbridgeClient>, error: unknown): never {
    if (this.#client === opening) this.#client = null
    throw error
  }

  async #open(mayStart: boolean): Promise<DrawbridgeClient> {
    this.#token = await agentToken(await this.#owner(mayStart), this.#as)
    const found = await findService(this.#folder, { as: this.#as })
    if (found) return found.client
    throw unavailable('the Drawbridge service has just ended: try again')
  }

  async #owner(mayStart: boolean): Promise<DrawbridgeClient> {
    const found = await findService(this.#folder)
    if (found) return found.client
    if (mayStart || wasServiceKilled(this.#folder)) return serviceClient(this.#flags, this.#surroundings)
    throw unavailable(
      'the Drawbridge service was stopped: task_start starts it, or a person does with `drawbridge serve`',
    )
  }
}

/** Nobody listened: nothing was sent. */
function wasRefused(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if ((each as NodeJS.ErrnoException).code === 'ECONNREFUSED') return true
  return false
}

function unknownOutcome(cause: DrawbridgeError): DrawbridgeError {
  return new DrawbridgeError(
    'the connection to the service broke before it answered. It may have been done: look at the task before you repeat this',
    { code: 'unreachable', cause },
  )
}

function unavailable(message: string): DrawbridgeError {
  return new DrawbridgeError(message, { code: 'unavailable', retryable: true })
}
