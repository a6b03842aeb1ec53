// A usage limit is of a login, and workers on several machines may use the same one: what one of them meets holds all.
import { createHash } from 'node:crypto'
import type { Codex } from '../../codex/index.ts'
import { accountHolds, type Db, type EventLog, holdAccount, releaseAccount } from '../../store/index.ts'
import { accountOf, type Links } from '../link/index.ts'
import type { Hold, Scheduler } from '../turns/index.ts'

export interface SharedHoldsParts {
  readonly log: EventLog
  readonly reader: Db
  readonly links: Links
  readonly scheduler: Pick<Scheduler, 'hold' | 'release'>
  readonly now: () => number
}

export class SharedHolds {
  readonly #parts: SharedHoldsParts
  readonly #identities = new WeakMap<Codex, Promise<string | null>>()
  /** Accounts of this machine that are held because of what others met. */
  readonly #held = new Set<string>()

  constructor(parts: SharedHoldsParts) {
    this.#parts = parts
  }

  /** An account of this machine has hit its limit. */
  async note(account: string, { until, why }: Hold): Promise<void> {
    const identity = (await this.#accounts()).get(account)
    if (identity === undefined) return
    await this.#parts.log.change(({ db }) => holdAccount(db, { account: identity, until, why }))
  }

  /** A person wants its tasks to go on now. */
  async lift(account: string): Promise<void> {
    const identity = (await this.#accounts()).get(account)
    if (identity !== undefined) await this.#parts.log.change(({ db }) => releaseAccount(db, identity))
  }

  /** Holds what others have met, and lets go of what they have lifted. */
  async look(): Promise<void> {
    const { reader, scheduler, now } = this.#parts
    const holds = new Map((await accountHolds(reader, now())).map((hold) => [hold.account, hold]))
    if (holds.size === 0 && this.#held.size === 0) return
    for (const [account, identity] of await this.#accounts()) {
      const hold = holds.get(identity)
      if (hold) {
        this.#held.add(account)
        scheduler.hold(account, hold)
      } else if (this.#held.delete(account)) scheduler.release(account)
    }
  }

  /** The logins in use on this machine, as far as they can be told apart from others. */
  async #accounts(): Promise<Map<string, string>> {
    const accounts = new Map<string, string>()
    for (const { connected, appServer } of this.#parts.links.all()) {
      const { codexHome: codex_home, codexPath: codex_path } = appServer.key
      const identity = connected && (await this.#identityOf(connected))
      if (identity) accounts.set(accountOf({ codex_home, codex_path }), identity)
    }
    return accounts
  }

  #identityOf(codex: Codex): Promise<string | null> {
    const known = this.#identities.get(codex)
    if (known) return known
    const identity = readIdentity(codex).catch(() => null)
    this.#identities.set(codex, identity)
    return identity
  }
}

/** null: an API key, or no login. codex does not tell one key from another. */
async function readIdentity(codex: Codex): Promise<string | null> {
  const { account } = (await codex.request('account/read', {})) as {
    account?: { email?: string | null } | null
  }
  return account?.email ? createHash('sha256').update(account.email.toLowerCase()).digest('base64url') : null
}
