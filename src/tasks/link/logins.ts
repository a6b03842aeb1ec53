// Whether the codex of a task has the login it needs, asked before a turn begins: codex would try without one for half a
// minute, and then fail the turn.
import { type Codex, DrawbridgeError, NotLoggedInError, requireLogin } from '../../codex/index.ts'
import { type AccountService, type AppServerKey, type AppServers, TaskError } from '../model/index.ts'
import type { Link, Links } from './links.ts'

/** Whether a codex home looks as if it had no login. A look at its files: codex itself has the last word. */
export type MayLackLogin = (codexHome: string | null) => boolean

interface LoginsOptions {
  readonly links: Links
  readonly appServers: Pick<AppServers, 'list'>
  /** Whether the next turn could begin at once. */
  readonly hasRoom: () => boolean
  readonly account: Pick<AccountService, 'login'>
  readonly mayLackLogin: MayLackLogin | undefined
  readonly now: () => number
}

/** There is a login, but this app-server was started before it: another takes its place. */
export class StaleLoginError extends DrawbridgeError {
  constructor() {
    super('codex was started before somebody logged in, and is being replaced', { code: 'stale-login' })
  }
}

/** One that has just been started knows what there is. */
const FRESH_MS = 5_000
/** A start is refused by then, or not at all. */
const REFUSE_MS = 10_000

export class Logins {
  readonly #options: LoginsOptions
  /** Those that have a login, or need none. */
  #known = new WeakSet<Codex>()
  readonly #looks = new Map<string, Promise<boolean>>()

  constructor(options: LoginsOptions) {
    this.#options = options
  }

  /** Before a task is stored: rejects with `not-logged-in`. What else is wrong with codex the task will find out. */
  async refuseWithout(key: AppServerKey): Promise<void> {
    const { mayLackLogin, hasRoom } = this.#options
    // A task that has to wait for its place starts no app-server before its time.
    if (!mayLackLogin?.(key.codexHome) || !hasRoom()) return
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(true), REFUSE_MS).unref()
    const look = async () => {
      const link = await this.#options.links.get(key)
      return (await this.#hasLogin(link)) || this.#lookAgain(link, key)
    }
    const isFine = await Promise.race([look().catch(() => true), late]).finally(() => clearTimeout(timer))
    if (isFine) return
    const { message, details } = new NotLoggedInError(key.codexHome)
    throw new TaskError('not-logged-in', message, { details })
  }

  /** Before a turn on this app-server: rejects with NotLoggedInError, or StaleLoginError when another would do. */
  async require(link: Link, key: AppServerKey): Promise<void> {
    if (await this.#hasLogin(link)) return
    throw (await this.#lookAgain(link, key)) ? new StaleLoginError() : new NotLoggedInError(key.codexHome)
  }

  /** Somebody logged in or out: all are asked again. */
  forget(): void {
    this.#known = new WeakSet()
  }

  /** Its login was refused: who logs in anew must not get the old one. */
  refused(link: Link): void {
    this.forget()
    retire(link, 'its login was refused')
  }

  async #hasLogin(link: Link): Promise<boolean> {
    const codex = await link.codex()
    if (this.#known.has(codex)) return true
    try {
      await requireLogin(codex)
    } catch {
      return false
    }
    this.#known.add(codex)
    return true
  }

  /** codex reads its login when it starts: one that was made since, by another program, is known to a new one only. */
  #lookAgain(link: Link, key: AppServerKey): Promise<boolean> {
    // Where somebody logs in right now must stay the one that is asked.
    const isPending = this.#options.account.login().status === 'pending'
    // A login that is there now was made since, however short a time ago that app-server was started.
    const mayLack = this.#options.mayLackLogin?.(key.codexHome) ?? true
    if (isPending || (mayLack && this.#ageOf(link) < FRESH_MS)) return Promise.resolve(false)
    const name = JSON.stringify(key)
    let look = this.#looks.get(name)
    if (!look) {
      look = this.#askAnother(link, key).finally(() => this.#looks.delete(name))
      this.#looks.set(name, look)
    }
    return look
  }

  #ageOf({ appServer: { id } }: Link): number {
    const { appServers, now } = this.#options
    return now() - (appServers.list().find((each) => each.id === id)?.startedAt ?? 0)
  }

  async #askAnother(link: Link, key: AppServerKey): Promise<boolean> {
    retire(link, 'it has no login')
    return this.#hasLogin(await this.#options.links.get(key))
  }
}

/** It ends as soon as nobody holds it. */
function retire({ appServer }: Link, why: string): void {
  const letGo = appServer.hold()
  appServer.drain(why)
  letGo()
}
