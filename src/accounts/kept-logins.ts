// How a login gets into the store: sealed with the key of the data folder, once, under one name.
import { randomUUID } from 'node:crypto'
import {
  accountRow,
  accountRows,
  type Db,
  insertAccount,
  replaceLogin,
  type StoredAccount,
} from '../store/index.ts'
import { AccountError, inUse } from './account-error.ts'
import { type KeySource, readAccountKey } from './account-key.ts'
import type { LentAppServers } from './lent-app-servers.ts'
import type { Login } from './login-text.ts'
import { openLogin, sealLogin } from './seal-login.ts'

export interface AccountSettings {
  readonly pools?: readonly string[] | undefined
  readonly reservePercent?: number | undefined
  readonly onLimit?: 'park' | 'switch' | undefined
}

export interface AddAccount extends AccountSettings {
  readonly name: string
  /** A config.toml for its codex, kept sealed with the login. */
  readonly config?: string | undefined
  /** The login of an account that is there is replaced. */
  readonly replace?: boolean | undefined
}

interface KeepingParts {
  readonly db: Db
  readonly dataDir: string
  readonly holder: string
  readonly keySource: KeySource
  readonly appServers: () => LentAppServers
}

export class KeptLogins {
  readonly #parts: KeepingParts
  #key: Promise<Buffer> | null = null
  #keeping: Promise<unknown> = Promise.resolve()

  constructor(parts: KeepingParts) {
    this.#parts = parts
  }

  /** Read once. `mayMake`: nothing is sealed yet. */
  key({ mayMake = false }: { mayMake?: boolean } = {}): Promise<Buffer> {
    const { keySource, dataDir } = this.#parts
    this.#key ??= readAccountKey(keySource, { dataDir, mayMake }).catch((error: unknown) => {
      this.#key = null
      throw error
    })
    return this.#key
  }

  /** Before anybody logs in for it. */
  async refuseName({ name, replace }: AddAccount): Promise<void> {
    checkName(name)
    if (!replace && (await accountRow(this.#parts.db, { name }))) throw nameTaken(name)
  }

  /** The row of a new account, or of the one whose login it replaces. One at a time: the same login is not kept twice. */
  keep(request: AddAccount, login: Login, by: { by: string }): Promise<StoredAccount> {
    const kept = this.#keeping.then(() => this.#keepNow(request, login, by))
    this.#keeping = kept.catch(() => {})
    return kept
  }

  async #keepNow(request: AddAccount, login: Login, { by }: { by: string }): Promise<StoredAccount> {
    const { db } = this.#parts
    const { kind, identity } = login
    const all = await accountRows(db)
    refuseSameLogin(all, { identity, name: request.name })
    const key = await this.key({ mayMake: all.length === 0 })
    refuseOtherKey(key, all)
    const before = all.find((row) => row.name === request.name)
    if (before) return this.#replace(before, { request, login, key })
    const id = randomUUID()
    const content = { auth: login.text, config: request.config ?? null }
    const row = await insertAccount(db, {
      ...{ id, name: request.name, kind, identity, created_by: by },
      pools: JSON.stringify(request.pools ?? []),
      login: sealLogin(content, key, { accountId: id, version: 1 }),
      reserve_percent: request.reservePercent ?? 0,
      on_limit: request.onLimit ?? 'park',
    })
    if (row) return row
    // Another worker was first, with this login or this name.
    refuseSameLogin(await accountRows(db), { identity, name: request.name })
    throw nameTaken(request.name)
  }

  async #replace(
    row: StoredAccount,
    { request, login, key }: { request: AddAccount; login: Login; key: Buffer },
  ): Promise<StoredAccount> {
    if (!request.replace) throw nameTaken(row.name)
    const { db, holder } = this.#parts
    const appServers = this.#parts.appServers()
    const { id, login_version: version } = row
    const { kind, identity } = login
    const config = request.config ?? openLogin(row.login, key, { accountId: id, version }).config
    const sealed = sealLogin({ auth: login.text, config }, key, { accountId: id, version: version + 1 })
    await appServers.alone(id, async () => {
      if (!(await appServers.settle(id))) throw inUse(row.name)
      if (!(await replaceLogin(db, { id, holder, version }, { login: sealed, kind, identity })))
        throw inUse(row.name)
      appServers.homeOf(id).clear()
    })
    return row
  }
}

function refuseSameLogin(
  rows: readonly StoredAccount[],
  { identity, name }: Pick<StoredAccount, 'identity' | 'name'>,
): void {
  const same = rows.find((row) => row.identity === identity && row.name !== name)
  if (same) throw sameLogin(same.name)
}

/** All logins are sealed with one key: another worker could not open what was sealed with a wrong one. */
function refuseOtherKey(key: Buffer, rows: readonly StoredAccount[]): void {
  const opens = ({ id, login, login_version: version }: StoredAccount) =>
    openLogin(login, key, { accountId: id, version })
  const isKnown = rows.some((row) => {
    try {
      return opens(row) !== null
    } catch {
      return false
    }
  })
  const [first] = rows
  if (first && !isKnown) opens(first)
}

export function checkName(name: string): void {
  if (!/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(name))
    throw new AccountError('bad-login', 'a name has at most 40 letters, digits, ".", "_" and "-"')
}

export function nameTaken(name: string): AccountError {
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
