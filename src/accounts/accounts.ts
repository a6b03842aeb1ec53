// The codex logins of a service: kept sealed, checked by codex itself, lent to tasks.
import {
  accountRow,
  accountRows,
  type Db,
  deleteAccount,
  type StoredAccount,
  updateAccount,
} from '../store/index.ts'
import { type Account, toAccount } from './account.ts'
import { AccountChecks } from './account-checks.ts'
import { AccountError, inUse, unknownAccount } from './account-error.ts'
import type { KeySource } from './account-key.ts'
import { AccountPools } from './account-pools.ts'
import type { Verdict } from './check-login.ts'
import { CodeLogins, type PendingAccount } from './code-logins.ts'
import { HeardLimits } from './heard-limits.ts'
import { HOLDING_TIMES } from './held-login.ts'
import { type AccountSettings, type AddAccount, checkName, KeptLogins, nameTaken } from './kept-logins.ts'
import { accountsFolder, type EndableAppServers, LentAppServers } from './lent-app-servers.ts'
import { logOut } from './log-out.ts'
import { type Login, loginOf } from './login-text.ts'
import {
  type CodexParts,
  loginByAccessToken,
  loginByCode,
  loginByKey,
  removeUnfinished,
} from './new-login.ts'
import { LentAccounts } from './task-accounts.ts'

export interface AccountsOptions extends CodexParts {
  readonly db: Db
  readonly dataDir: string
  /** This worker: the same after a restart. */
  readonly holder: string
  readonly keySource: KeySource
  readonly appServers: EndableAppServers
  /** What went wrong in the background, one line. */
  readonly tell: (line: string) => void
}

/** Where a new login comes from. */
type NewLogin =
  | { readonly type: 'authJson'; readonly authJson: string }
  | { readonly type: 'apiKey'; readonly apiKey: string }
  | { readonly type: 'accessToken'; readonly accessToken: string }

interface AccountChange extends AccountSettings {
  readonly name?: string | undefined
  readonly state?: 'active' | 'disabled' | undefined
}

export class Accounts {
  readonly appServers: LentAppServers
  readonly forTasks: LentAccounts
  readonly pools: AccountPools
  readonly #options: AccountsOptions
  readonly #folder: string
  readonly #kept: KeptLogins
  readonly #checks: AccountChecks
  readonly #codes: CodeLogins
  readonly #heard: HeardLimits

  /** The data folder must be there, and be this service's. */
  constructor(options: AccountsOptions) {
    const { db, holder, dataDir, tell, now, keySource } = options
    this.#options = options
    this.#folder = accountsFolder(dataDir)
    removeUnfinished(this.#folder)
    this.#kept = new KeptLogins({ db, dataDir, holder, keySource, appServers: () => this.appServers })
    const holding = { db, holder, dataDir, tell, times: HOLDING_TIMES, key: () => this.#kept.key() }
    this.appServers = new LentAppServers(options.appServers, holding)
    this.#checks = new AccountChecks({ ...options, appServers: this.appServers })
    this.#codes = new CodeLogins({ now })
    this.#heard = new HeardLimits({ db, now, tell })
    this.forTasks = new LentAccounts({
      ...{ db, holder, now, appServers: this.appServers, heard: this.#heard },
      onRefused: (id) => void this.#checks.checkRefused(id),
    })
    this.pools = new AccountPools({ db, onUsable: (account) => this.forTasks.tellUsable(account) })
  }

  async list(): Promise<Account[]> {
    return (await accountRows(this.#options.db)).map(toAccount)
  }

  async add(
    request: AddAccount & { readonly login: NewLogin },
    by: { readonly by: string },
  ): Promise<Account> {
    await this.#kept.refuseName(request)
    return this.#keep(request, await this.#loginFrom(request), by)
  }

  /** Asks OpenAI for a code. One at a time. */
  async startLogin(request: AddAccount, by: { readonly by: string }): Promise<PendingAccount> {
    await this.#kept.refuseName(request)
    return this.#codes.start(request.name, {
      open: () => loginByCode(this.#loginParts(request)),
      store: (login) => this.#keep(request, login, by),
    })
  }

  pendingLogin(): PendingAccount | null {
    return this.#codes.last()
  }

  cancelLogin(): Promise<void> {
    return this.#codes.cancel()
  }

  async change(name: string, fields: AccountChange, { by }: { readonly by: string }): Promise<Account> {
    const { db, now } = this.#options
    const { id } = await this.#row(name)
    if (fields.name !== undefined && fields.name !== name) {
      checkName(fields.name)
      if (await accountRow(db, { name: fields.name })) throw nameTaken(fields.name)
    }
    const { state } = fields
    const reason = { code: 'disabled', message: `by ${by}`, at: now() }
    const row = await updateAccount(db, id, {
      ...columnsOf(fields),
      ...(state && { state, state_reason: state === 'disabled' ? JSON.stringify(reason) : null }),
    }).catch(async (error: unknown) => {
      // Another got the name at the same moment.
      const taker = fields.name === undefined ? undefined : await accountRow(db, { name: fields.name })
      throw taker && taker.id !== id ? nameTaken(taker.name) : error
    })
    if (!row) throw unknownAccount(name)
    return this.#told(toAccount(row))
  }

  /** By codex itself. */
  async check(name: string): Promise<Verdict & { readonly account: Account }> {
    const row = await this.#row(name)
    const checked = await this.#checks.check(row)
    if (row.state === 'dead') this.#told(checked.account)
    return checked
  }

  /** The stored copy, and what is planted of it. The login itself stays valid wherever else it is. */
  async remove(name: string): Promise<void> {
    const { id } = await this.#row(name)
    const { db, holder } = this.#options
    await this.appServers.alone(id, async () => {
      if (!(await this.appServers.settle(id))) throw inUse(name)
      if (!(await deleteAccount(db, { id, holder }))) throw inUse(name)
      this.appServers.homeOf(id).clear()
    })
  }

  /** Codex logs out, which makes the login worthless wherever it was copied to; then the stored copy goes. */
  async revoke(name: string): Promise<void> {
    const { id, kind } = await this.#row(name)
    if (kind !== 'chatgpt') throw onlyAtOpenai()
    const { db, holder } = this.#options
    await this.appServers.alone(id, async () => {
      if (!(await this.appServers.settle(id))) throw inUse(name)
      await this.appServers.withLogin(id, async ({ home }) =>
        logOut(await this.#options.openCodex(home.path, {})),
      )
      if (!(await deleteAccount(db, { id, holder }))) throw inUse(name)
    })
  }

  /** After the app-servers were let go of or ended. */
  async close(): Promise<void> {
    await this.cancelLogin().catch(() => {})
    await this.appServers.close()
    await this.#heard.stored()
  }

  async #keep(request: AddAccount, login: Login, by: { readonly by: string }): Promise<Account> {
    const { id } = await this.#kept.keep(request, login, by)
    // Of a login that was replaced they may be others; of a new one they are what is stored.
    const { name: _, ...settings } = request
    const row = await updateAccount(this.#options.db, id, columnsOf(settings))
    if (!row) throw unknownAccount(request.name)
    return this.#told(toAccount(row))
  }

  #told(account: Account): Account {
    if (account.state === 'active') this.forTasks.tellUsable(account)
    return account
  }

  #loginParts({ config = null }: { config?: string | null | undefined }) {
    return { ...this.#options, folder: this.#folder, config }
  }

  async #loginFrom({ login: from, config }: AddAccount & { readonly login: NewLogin }): Promise<Login> {
    const parts = this.#loginParts({ config })
    if (from.type === 'apiKey') return loginByKey(from.apiKey, parts)
    if (from.type === 'accessToken') return loginByAccessToken(from.accessToken, parts)
    const login = loginOf(from.authJson)
    if (login) return login
    throw new AccountError(
      'bad-login',
      'that auth.json has no login that can be kept: log in there first, with `drawbridge login` or `codex login`',
    )
  }

  async #row(name: string): Promise<StoredAccount> {
    const { db } = this.#options
    const row = (await accountRow(db, { name })) ?? (await accountRow(db, { id: name }))
    if (!row) throw unknownAccount(name)
    return row
  }
}

function columnsOf({
  name,
  pools,
  reservePercent,
  onLimit,
}: AccountChange): Parameters<typeof updateAccount>[2] {
  return {
    ...(name !== undefined && { name }),
    ...(pools && { pools: JSON.stringify(pools) }),
    ...(reservePercent !== undefined && { reserve_percent: reservePercent }),
    ...(onLimit && { on_limit: onLimit }),
  }
}

function onlyAtOpenai(): AccountError {
  return new AccountError(
    'bad-login',
    'an API key or access token is revoked on the page of OpenAI where it was made; `drawbridge account rm` deletes the copy here',
  )
}
