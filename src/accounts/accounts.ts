// The codex logins of a service: kept sealed, checked by codex itself, lent to tasks.
import { randomUUID } from 'node:crypto'
import { type Codex, openCodex } from '../codex/index.ts'
import {
  accountRow,
  accountRows,
  type Db,
  deleteAccount,
  insertAccount,
  replaceLogin,
  type StoredAccount,
  updateAccount,
} from '../store/index.ts'
import type { AccountLogin } from '../tasks/index.ts'
import { type Account, toAccount } from './account.ts'
import { AccountError, unknownAccount } from './account-error.ts'
import { type KeySource, readAccountKey } from './account-key.ts'
import { checkLogin, type Verdict } from './check-login.ts'
import { HOLDING_TIMES, type HoldingTimes } from './held-login.ts'
import { accountsFolder, type EndableAppServers, LentAppServers } from './lent-app-servers.ts'
import { type AccountKind, type Login, loginOf, readLogin } from './login-text.ts'
import {
  type CodexParts,
  type DeviceLogin,
  loginByAccessToken,
  loginByCode,
  loginByKey,
  removeUnfinished,
} from './new-login.ts'
import { readFacts } from './read-facts.ts'
import { openLogin, sealLogin } from './seal-login.ts'
import { LentAccounts } from './task-accounts.ts'

export interface AccountsOptions extends CodexParts {
  readonly db: Db
  readonly dataDir: string
  /** This worker: the same after a restart. */
  readonly holder: string
  readonly keySource: KeySource
  readonly appServers: EndableAppServers
  readonly tell: (line: string) => void
  readonly times?: HoldingTimes
}

export interface AccountSettings {
  readonly pools?: readonly string[] | undefined
  readonly reservePercent?: number | undefined
  readonly onLimit?: 'park' | 'switch' | undefined
}

/** Where a new login comes from. */
export type NewLogin =
  | { readonly type: 'authJson'; readonly authJson: string }
  | { readonly type: 'apiKey'; readonly apiKey: string }
  | { readonly type: 'accessToken'; readonly accessToken: string }

export interface AddAccount extends AccountSettings {
  readonly name: string
  /** A config.toml for its codex, kept sealed with the login. */
  readonly config?: string | undefined
  /** The login of an account that is there is replaced. */
  readonly replace?: boolean | undefined
}

/** A login by code for a new account; the account is there when it has succeeded. */
export type PendingAccount = AccountLogin & { readonly name: string }

export class Accounts {
  readonly appServers: LentAppServers
  readonly forTasks: LentAccounts
  readonly #options: AccountsOptions
  readonly #folder: string
  #key: Promise<Buffer> | null = null
  #pending: {
    readonly name: string
    readonly login: DeviceLogin
    error: string | null
    isDone: boolean
  } | null = null
  readonly #refused = new Set<string>()

  constructor(options: AccountsOptions) {
    const { db, holder, dataDir, tell, now, times = HOLDING_TIMES } = options
    this.#options = options
    this.#folder = accountsFolder(dataDir)
    removeUnfinished(this.#folder)
    const key = () => this.#readKey({ mayMake: false })
    this.appServers = new LentAppServers(options.appServers, { db, holder, dataDir, tell, times, key })
    this.forTasks = new LentAccounts({
      ...{ db, holder, now, appServers: this.appServers },
      onRefused: (id) => void this.#checkRefused(id),
    })
  }

  async list(): Promise<Account[]> {
    return (await accountRows(this.#options.db)).map(toAccount)
  }

  async get(name: string): Promise<Account> {
    return toAccount(await this.#row(name))
  }

  async add(request: AddAccount & { readonly login: NewLogin }, { by }: { by: string }): Promise<Account> {
    await this.#refuseName(request)
    return this.#store(request, await this.#loginFrom(request.login, request.config ?? null), by)
  }

  /** Asks OpenAI for a code. One at a time. */
  async startLogin(request: AddAccount, { by }: { by: string }): Promise<PendingAccount> {
    await this.#refuseName(request)
    if (this.#pending && !this.#pending.isDone)
      throw new AccountError(
        'account-exists',
        `a login for ${this.#pending.name} is pending: cancel it first`,
      )
    const login = await loginByCode(this.#loginParts(request.config ?? null))
    const pending = { name: request.name, login, error: null as string | null, isDone: false }
    this.#pending = pending
    void login.login
      .then((made) => this.#store(request, made, by))
      .catch((error: unknown) => {
        pending.error = error instanceof Error ? error.message : String(error)
      })
      .finally(() => {
        pending.isDone = true
      })
    return { ...login.started, name: request.name }
  }

  /** null: there was none since the service started. */
  pendingLogin(): PendingAccount | null {
    if (!this.#pending) return null
    const { name, login, error, isDone } = this.#pending
    const endedAt = this.#options.now()
    if (!isDone) return { ...login.started, name }
    if (error === null) return { status: 'succeeded', endedAt, name }
    return { status: 'failed', message: error, endedAt, name }
  }

  async cancelLogin(): Promise<void> {
    const state = this.#pending?.login.account.login()
    if (state?.status === 'pending') await this.#pending!.login.account.cancelLogin(state.loginId)
  }

  async change(
    name: string,
    fields: AccountSettings & {
      readonly name?: string | undefined
      readonly state?: 'active' | 'disabled' | undefined
    },
    { by }: { by: string },
  ): Promise<Account> {
    const { db, now } = this.#options
    const { id } = await this.#row(name)
    if (fields.name !== undefined && fields.name !== name) {
      checkName(fields.name)
      if (await accountRow(db, { name: fields.name })) throw nameTaken(fields.name)
    }
    const { pools, reservePercent, onLimit, state } = fields
    const reason = { code: 'disabled', message: `by ${by}`, at: now() }
    const row = await updateAccount(db, id, {
      ...(fields.name !== undefined && { name: fields.name }),
      ...(pools && { pools: JSON.stringify(pools) }),
      ...(reservePercent !== undefined && { reserve_percent: reservePercent }),
      ...(onLimit && { on_limit: onLimit }),
      ...(state && { state, state_reason: state === 'disabled' ? JSON.stringify(reason) : null }),
    })
    if (!row) throw unknownAccount(name)
    return toAccount(row)
  }

  /** By codex itself. Only what is definite changes the state. */
  async check(name: string): Promise<Verdict & { readonly account: Account }> {
    const row = await this.#row(name)
    const verdict = await this.appServers.alone(row.id, () => this.#check(row))
    const columns = this.#columnsOf(verdict, row)
    const after = columns ? await updateAccount(this.#options.db, row.id, columns) : row
    return { ...verdict, account: toAccount(after ?? row) }
  }

  /** The stored copy, and what is planted of it. The login itself stays valid wherever else it is. */
  async remove(name: string): Promise<void> {
    const { id } = await this.#row(name)
    await this.appServers.alone(id, async () => {
      this.#refuseInUse(id, name)
      if (!(await deleteAccount(this.#options.db, id))) throw inUse(name)
      this.appServers.homeOf(id).clear()
    })
  }

  /** Codex logs out, which makes the login worthless wherever it was copied to; then the stored copy goes. */
  async revoke(name: string): Promise<void> {
    const { id, kind } = await this.#row(name)
    if (kind === 'apikey')
      throw new AccountError(
        'bad-login',
        'an API key is revoked on the page of OpenAI where it was made; `drawbridge account rm` deletes the copy here',
      )
    await this.appServers.alone(id, async () => {
      this.#refuseInUse(id, name)
      await this.appServers.withLogin(id, ({ home }) =>
        this.#withCodex(home.path, async (codex) => void (await codex.request('account/logout', undefined))),
      )
      await deleteAccount(this.#options.db, id)
    })
  }

  async close(): Promise<void> {
    await this.cancelLogin().catch(() => {})
    await this.#pending?.login.login.catch(() => {})
    await this.appServers.close()
  }

  async #check(row: StoredAccount): Promise<Verdict> {
    const server = this.appServers.serverOf(row.id)
    if (server) {
      if (!server.outlivesUs) return { verdict: 'inconclusive', message: 'a task uses it now', facts: null }
      const codex = await openCodex(server.host, { redact: true })
      return this.#whileUsed(codex).finally(() => codex.close())
    }
    return this.appServers.withLogin(row.id, async ({ home }) => {
      const before = await readLogin(home.authFile)
      const isRenewed = async () => {
        const now = await readLogin(home.authFile)
        return now !== null && now.text !== before?.text
      }
      const kind = row.kind as AccountKind
      return this.#withCodex(home.path, (codex) =>
        checkLogin(codex, { kind, now: this.#options.now(), isRenewed }),
      )
    })
  }

  /** Its codex is not made to renew a login that it works with. */
  async #whileUsed(codex: Codex): Promise<Verdict> {
    const { facts, isLoggedIn, hasWindows } = await readFacts(codex, {
      refresh: false,
      now: this.#options.now(),
    })
    if (isLoggedIn && hasWindows) return { verdict: 'alive', message: 'tasks use it now', facts }
    return { verdict: 'inconclusive', message: 'tasks use it now: check it again later', facts: null }
  }

  #columnsOf(verdict: Verdict, { state }: StoredAccount): Parameters<typeof updateAccount>[2] | null {
    if (verdict.verdict === 'dead') {
      const { code, message } = verdict
      const reason = JSON.stringify({ code, message, at: this.#options.now() })
      return { state_reason: reason, ...(state !== 'disabled' && { state: 'dead' }) }
    }
    const facts = verdict.facts && { facts: JSON.stringify(verdict.facts) }
    if (verdict.verdict === 'alive' && state === 'dead')
      return { ...facts, state: 'active', state_reason: null }
    return facts
  }

  /** Once its codex is gone: whether the login is dead, or only that turn had bad luck. */
  async #checkRefused(id: string): Promise<void> {
    if (this.#refused.has(id)) return
    this.#refused.add(id)
    try {
      const server = this.appServers.serverOf(id)
      server?.drain('its login was refused')
      await server?.ended
      const row = await accountRow(this.#options.db, { id })
      if (!row) return
      const { verdict, message } = await this.check(row.name)
      if (verdict === 'dead') this.#options.tell(`the account ${row.name} is dead: ${message}`)
    } catch (error) {
      this.#options.tell(`the account ${id} could not be checked: ${String(error)}`)
    } finally {
      this.#refused.delete(id)
    }
  }

  async #withCodex<T>(codexHome: string, use: (codex: Codex) => Promise<T>): Promise<T> {
    const codex = await this.#options.openCodex(codexHome, {})
    try {
      return await use(codex)
    } finally {
      await codex.close()
    }
  }

  #loginParts(config: string | null) {
    return { ...this.#options, folder: this.#folder, config }
  }

  async #loginFrom(from: NewLogin, config: string | null): Promise<Login> {
    const parts = this.#loginParts(config)
    if (from.type === 'apiKey') return loginByKey(from.apiKey, parts)
    if (from.type === 'accessToken') return loginByAccessToken(from.accessToken, parts)
    const login = loginOf(from.authJson)
    if (login) return login
    throw new AccountError(
      'bad-login',
      'that auth.json has no login that can be kept: log in there first, with `drawbridge login` or `codex login`',
    )
  }

  async #store(request: AddAccount, login: Login, by: string): Promise<Account> {
    const { db } = this.#options
    const { kind, identity } = login
    const all = await accountRows(db)
    const same = all.find((row) => row.identity === identity && row.name !== request.name)
    if (same) throw sameLogin(same.name)
    const key = await this.#readKey({ mayMake: all.length === 0 })
    const content = { auth: login.text, config: request.config ?? null }
    const before = all.find((row) => row.name === request.name)
    if (before) return this.#replace(before, { request, login, key })
    const id = randomUUID()
    const row = await insertAccount(db, {
      ...{ id, name: request.name, kind, identity, created_by: by },
      pools: JSON.stringify(request.pools ?? []),
      login: sealLogin(content, key, { accountId: id, version: 1 }),
      reserve_percent: request.reservePercent ?? 0,
      on_limit: request.onLimit ?? 'park',
    })
    if (!row) throw nameTaken(request.name)
    return toAccount(row)
  }

  async #replace(
    row: StoredAccount,
    { request, login, key }: { request: AddAccount; login: Login; key: Buffer },
  ): Promise<Account> {
    if (!request.replace) throw nameTaken(row.name)
    const { db, holder } = this.#options
    const { id, login_version: version } = row
    // With another key the old config could not be kept.
    const config = request.config ?? openLogin(row.login, key, { accountId: id, version }).config
    const sealed = sealLogin({ auth: login.text, config }, key, { accountId: id, version: version + 1 })
    const { kind, identity } = login
    await this.appServers.alone(id, async () => {
      this.#refuseInUse(id, row.name)
      if (!(await replaceLogin(db, { id, holder, version }, { login: sealed, kind, identity })))
        throw inUse(row.name)
      this.appServers.homeOf(id).clear()
    })
    const { name: _, ...settings } = request
    return this.change(row.name, settings, { by: '' })
  }

  #readKey({ mayMake }: { mayMake: boolean }): Promise<Buffer> {
    const { keySource, dataDir } = this.#options
    this.#key ??= readAccountKey(keySource, { dataDir, mayMake }).catch((error: unknown) => {
      this.#key = null
      throw error
    })
    return this.#key
  }

  async #row(name: string): Promise<StoredAccount> {
    const { db } = this.#options
    const row = (await accountRow(db, { name })) ?? (await accountRow(db, { id: name }))
    if (!row) throw unknownAccount(name)
    return row
  }

  async #refuseName({ name, replace }: AddAccount): Promise<void> {
    checkName(name)
    const before = await accountRow(this.#options.db, { name })
    if (before && !replace) throw nameTaken(name)
  }

  #refuseInUse(id: string, name: string): void {
    if (this.appServers.serverOf(id)) throw inUse(name)
  }
}

function checkName(name: string): void {
  if (!/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(name))
    throw new AccountError('bad-login', 'a name has at most 40 letters, digits, ".", "_" and "-"')
}

function nameTaken(name: string): AccountError {
  return new AccountError(
    'account-exists',
    `there is an account ${name} already: choose another name, or replace its login with --replace`,
  )
}

function sameLogin(name: string): AccountError {
  return new AccountError(
    'account-exists',
    `this login is kept already, as ${name}: a second copy would use up its refresh token. Use ${name}, or replace its login with --replace`,
  )
}

function inUse(name: string): AccountError {
  return new AccountError(
    'account-busy',
    `the account ${name} is in use: wait until its tasks are idle, or disable it first so that no more begin`,
  )
}
