// Checks of accounts: who asks codex, on which process, and what its answer changes.
import { type Codex, openCodex } from '../codex/index.ts'
import { accountRow, type Db, type StoredAccount, updateAccount } from '../store/index.ts'
import { type Account, toAccount } from './account.ts'
import { checkLogin, type Verdict } from './check-login.ts'
import type { LentAppServers } from './lent-app-servers.ts'
import { type AccountKind, readLogin } from './login-text.ts'
import type { CodexParts } from './new-login.ts'
import { readFacts } from './read-facts.ts'

interface CheckParts extends Pick<CodexParts, 'openCodex' | 'now'> {
  readonly db: Db
  readonly appServers: LentAppServers
  readonly tell: (line: string) => void
}

export class AccountChecks {
  readonly #parts: CheckParts
  /** Those whose login was refused in a turn, and that are about to be checked. */
  readonly #refused = new Set<string>()

  constructor(parts: CheckParts) {
    this.#parts = parts
  }

  /** Only what is definite changes the state. Rejects when a login that codex renewed could not be stored. */
  async check(row: StoredAccount): Promise<Verdict & { readonly account: Account }> {
    const { appServers, db } = this.#parts
    return appServers.alone(row.id, async () => {
      const { version, ...verdict } = await this.#verdictOf(row)
      const columns = this.#columnsOf(verdict, (await accountRow(db, { id: row.id })) ?? row)
      // The login that was found dead, and no other that a person has brought meanwhile.
      const of = verdict.verdict === 'dead' ? { version } : {}
      const changed = columns ? await updateAccount(db, row.id, columns, of) : null
      return { ...verdict, account: toAccount(changed ?? (await accountRow(db, { id: row.id })) ?? row) }
    })
  }

  /** Once its codex is gone: whether the login is dead, or only that turn had bad luck. Never rejects. */
  async checkRefused(id: string): Promise<void> {
    if (this.#refused.has(id)) return
    this.#refused.add(id)
    const { appServers, db, tell } = this.#parts
    try {
      const server = appServers.serverOf(id)
      server?.drain('its login was refused')
      await server?.ended
      const row = await accountRow(db, { id })
      if (!row) return
      const { verdict, message } = await this.check(row)
      if (verdict === 'dead') tell(`the account ${row.name} is dead: ${message}`)
    } catch (error) {
      tell(`the account ${id} could not be checked: ${error instanceof Error ? error.message : error}`)
    } finally {
      this.#refused.delete(id)
    }
  }

  /** `version`: of the login that was tried. */
  async #verdictOf({
    id,
    kind,
  }: StoredAccount): Promise<Verdict & { readonly version?: number | undefined }> {
    const { appServers, db, now } = this.#parts
    const server = appServers.serverOf(id)
    if (server) {
      if (!server.outlivesUs) return { verdict: 'inconclusive', message: 'a task uses it now', facts: null }
      await using codex = await openCodex(server.host, { redact: true })
      return await this.#whileUsed(codex)
    }
    return appServers.withLogin(id, async (login) => {
      const { home } = login
      const before = await readLogin(home.authFile)
      const version = (await accountRow(db, { id }))?.login_version
      const isRenewed = async () => {
        const after = await readLogin(home.authFile)
        return after !== null && after.text !== before?.text
      }
      await using codex = await this.#parts.openCodex(home.path, {})
      await login.tell(codex)
      const verdict = await checkLogin(codex, { kind: kind as AccountKind, now: now(), isRenewed })
      return { ...verdict, version }
    })
  }

  /** Its codex is not made to renew a login that it works with. */
  async #whileUsed(codex: Codex): Promise<Verdict> {
    const { facts, isLoggedIn, hasWindows } = await readFacts(codex, {
      refresh: false,
      now: this.#parts.now(),
    })
    if (isLoggedIn && hasWindows) return { verdict: 'alive', message: 'tasks use it now', facts }
    return { verdict: 'inconclusive', message: 'tasks use it now: check it again later', facts: null }
  }

  #columnsOf(verdict: Verdict, { state }: StoredAccount): Parameters<typeof updateAccount>[2] | null {
    if (verdict.verdict === 'dead') {
      const { code, message } = verdict
      const reason = JSON.stringify({ code, message, at: this.#parts.now() })
      return { state_reason: reason, ...(state !== 'disabled' && { state: 'dead' }) }
    }
    const facts = verdict.facts && { facts: JSON.stringify(verdict.facts) }
    if (verdict.verdict === 'alive' && state === 'dead')
      return { ...facts, state: 'active', state_reason: null }
    return facts
  }
}
