// The service, for a program that outlives it: found again after a restart, and started where that is meant.
import type { DrawbridgeClient } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import type { Surroundings } from '../process/index.ts'
import {
  dataDirOf,
  findService,
  type ServiceFlags,
  serviceClient,
  wasServiceKilled,
} from '../service/index.ts'

/** A start takes its time; each attempt waits for one. */
const MAX_ATTEMPTS = 3

export class ServiceLink {
  readonly #flags: ServiceFlags
  readonly #surroundings: Surroundings
  #client: Promise<DrawbridgeClient> | null = null

  constructor(flags: ServiceFlags, surroundings: Surroundings) {
    this.#flags = flags
    this.#surroundings = surroundings
  }

  /**
   * A call whose connection broke is made again: `run` must be one that can be. With `mayStart` a service that a person
   * has stopped is started; one that was killed always is.
   */
  async call<T>(
    run: (client: DrawbridgeClient) => Promise<T>,
    { mayStart = false }: { mayStart?: boolean } = {},
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      this.#client ??= this.#open(mayStart)
      const opening = this.#client
      try {
        return await run(await opening)
      } catch (error) {
        const isGone = error instanceof DrawbridgeError && error.code === 'unreachable'
        const isOpened = await opening.then(
          () => true,
          () => false,
        )
        if (this.#client === opening) this.#client = null
        if (!isOpened || !isGone || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  /** Starts the service if it was killed. For a stream, which looks by itself for where it is. */
  revive(): void {
    this.#client = null
    void this.call(async () => undefined).catch(() => undefined)
  }

  async #open(mayStart: boolean): Promise<DrawbridgeClient> {
    const folder = dataDirOf(this.#flags, this.#surroundings)
    const found = await findService(folder)
    if (found) return found.client
    if (mayStart || wasServiceKilled(folder)) return serviceClient(this.#flags, this.#surroundings)
    throw new DrawbridgeError(
      'the Drawbridge service was stopped: task_start starts it, or a person does with `drawbridge serve`',
      { code: 'unavailable', retryable: true },
    )
  }
}
