// A database that is away is told of once when that begins and once when it is over, however many parts notice it.
import { databaseTrouble, type StoreErrorCode } from '../../store/index.ts'
import { duration } from '../screen/index.ts'

export interface DatabaseOutageOptions {
  readonly tell: (line: string) => void
  readonly isReachable: () => Promise<boolean>
  readonly lookEveryMs?: number
  /** On a clock that only goes forward. */
  readonly now?: () => number
}

const LOOK_EVERY_MS = 1_000

/** The others are refusals of one statement: the database answers. */
const AWAY: ReadonlySet<StoreErrorCode> = new Set([
  'database-unreachable',
  'database-login-failed',
  'database-not-found',
  'database-full',
])

export class DatabaseOutage {
  readonly #options: DatabaseOutageOptions
  readonly #now: () => number
  #since: number | null = null
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: DatabaseOutageOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Whether the error says that the database is away: it is told of then, unless it was. */
  hear(error: unknown): boolean {
    const trouble = databaseTrouble(error)
    if (!trouble || !AWAY.has(trouble.code)) return false
    this.#begin(trouble.message)
    return true
  }

  /** An error of a part that only speaks with the database: `tellIt` tells of it if the database answers. */
  async hearOfPart(error: unknown, tellIt: () => void): Promise<void> {
    if (this.hear(error) || this.#since !== null) return
    if (await this.#options.isReachable().catch(() => false)) tellIt()
    else this.#begin(error instanceof Error ? error.message : String(error))
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#timer)
  }

  #begin(why: string): void {
    if (this.#since !== null || this.#isStopped) return
    this.#since = this.#now()
    const sentence = why.replace(/\.$/, '')
    this.#options.tell(
      `The database is away (${sentence}). Turns go on; nothing is stored until it is back, and requests get 503.`,
    )
    this.#timer = setInterval(() => void this.#look(), this.#options.lookEveryMs ?? LOOK_EVERY_MS).unref()
  }

  async #look(): Promise<void> {
    const isBack = await this.#options.isReachable().catch(() => false)
    if (!isBack || this.#since === null || this.#isStopped) return
    clearInterval(this.#timer)
    const forMs = this.#now() - this.#since
    this.#since = null
    this.#options.tell(`The database is back after ${duration(forMs)}.`)
  }
}
