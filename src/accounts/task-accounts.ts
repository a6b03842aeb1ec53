// Accounts as tasks borrow them: which one, and whether its login may be used now.
import { accountRows, type Db, updateAccount } from '../store/index.ts'
import { type BorrowedAccount, type BorrowingTask, type TaskAccounts, TaskError } from '../tasks/index.ts'
import { type Account, toAccount } from './account.ts'
import { AccountError, unknownAccount } from './account-error.ts'
import { carryThread } from './carry-thread.ts'
import { chooseAccount, LOOK_MS, whyUnusable } from './choose-account.ts'
import type { LentAppServers } from './lent-app-servers.ts'

export interface LendingParts {
  readonly db: Db
  readonly holder: string
  readonly appServers: LentAppServers
  readonly now: () => number
  /** A login was refused in a turn. */
  readonly onRefused: (accountId: string) => void
}

const POOL = 'pool:'

export class LentAccounts implements TaskAccounts {
  readonly #parts: LendingParts
  /** Two that begin at the same moment must not get the same account of a pool for want of a look. */
  #choosing: Promise<unknown> = Promise.resolve()

  readonly #listeners: Parameters<TaskAccounts['onUsable']>[0][] = []

  constructor(parts: LendingParts) {
    this.#parts = parts
  }

  onUsable(listener: Parameters<TaskAccounts['onUsable']>[0]): void {
    this.#listeners.push(listener)
  }

  /** A person, or a check, has made it usable. */
  tellUsable({ id, name, pools }: Account): void {
    const codexHome = this.#parts.appServers.homeOf(id).path
    const asked = [name, ...pools.map((pool) => `${POOL}${pool}`)]
    for (const listener of this.#listeners) listener({ codexHome, asked })
  }

  async find(asked: string): ReturnType<TaskAccounts['find']> {
    const accounts = await this.#accounts()
    if (asked.startsWith(POOL)) {
      if (poolOf(accounts, asked).length === 0)
        throw new TaskError('bad-request', `no account is in the ${asked}: \`drawbridge account list\``)
      return { account: asked, accountId: null }
    }
    const account = accounts.find(({ name, id }) => name === asked || id === asked)
    if (!account) throw new TaskError('bad-request', unknownAccount(asked).message)
    return { account: account.name, accountId: account.id }
  }

  borrow(task: BorrowingTask): Promise<BorrowedAccount> {
    const borrowed = this.#choosing.then(() => this.#borrow(task))
    this.#choosing = borrowed.catch(() => {})
    return borrowed
  }

  async confirm(accountId: string): Promise<void> {
    if (!(await this.#parts.appServers.mayUse(accountId)))
      throw new AccountError(
        'account-busy',
        'the account of this task was taken by another worker: it waits until that lets go of it',
      )
  }

  async noteLimit(accountId: string, until: number | null): Promise<void> {
    await updateAccount(this.#parts.db, accountId, { limited_until: until })
  }

  noteRefused(accountId: string): void {
    this.#parts.onRefused(accountId)
  }

  async switchFrom(task: BorrowingTask): Promise<BorrowedAccount | null> {
    const { threadId, account: asked, codexHome, accountId } = task
    const accounts = await this.#accounts()
    const current = accounts.find(({ id }) => id === accountId)
    if (!current || threadId === null || codexHome === null || !asked.startsWith(POOL)) return null
    if ((task.onLimit ?? current.onLimit) !== 'switch') return null
    const others = poolOf(accounts, asked).filter(
      (each) => each.id !== current.id && isPaidAlike(each, current),
    )
    const chosen = this.#firstOf(others, asked)
    if (!chosen) return null
    const home = this.#parts.appServers.homeOf(chosen.id).path
    if (!carryThread(threadId, { from: codexHome, to: home })) return null
    const why = `${current.name} has hit its limit: the thread goes on with ${chosen.name}, as --on-limit switch says`
    return { id: chosen.id, name: chosen.name, codexHome: home, why }
  }

  async #borrow(task: BorrowingTask): Promise<BorrowedAccount> {
    const accounts = await this.#accounts()
    const named = accounts.find(({ id }) => id === task.accountId)
    // Its thread, or the one it was forked from, is in the home of that account.
    if (!task.account.startsWith(POOL) || task.codexHome !== null) {
      if (!named) throw unknownAccount(task.account)
      const why = whyUnusable(named)
      if (why !== null) throw new AccountError('account-busy', why, { retryAt: this.#parts.now() + LOOK_MS })
      return this.#lend(named, null)
    }
    const { now, holder } = this.#parts
    const pool = poolOf(accounts, task.account)
    if (pool.length === 0) throw unknownAccount(task.account)
    const chosen = chooseAccount(pool, task.account, { now: now(), holder, timeText })
    return this.#lend(chosen, `${chosen.name} is next in the ${task.account}`)
  }

  async #lend({ id, name }: Account, why: string | null): Promise<BorrowedAccount> {
    const { appServers, db, now } = this.#parts
    await updateAccount(db, id, { used_at: now() })
    return { id, name, codexHome: appServers.homeOf(id).path, why }
  }

  #firstOf(candidates: readonly Account[], asked: string): Account | null {
    const { now, holder } = this.#parts
    try {
      return candidates.length === 0
        ? null
        : chooseAccount(candidates, asked, { now: now(), holder, timeText })
    } catch (error) {
      if (error instanceof AccountError) return null
      throw error
    }
  }

  async #accounts(): Promise<Account[]> {
    return (await accountRows(this.#parts.db)).map(toAccount)
  }
}

function poolOf(accounts: readonly Account[], asked: string): Account[] {
  return accounts.filter(({ pools }) => pools.includes(asked.slice(POOL.length)))
}

/** A plan is paid for otherwise than an API key: no task goes from one to the other by itself. */
function isPaidAlike(a: Account, b: Account): boolean {
  return (a.kind === 'apikey') === (b.kind === 'apikey')
}

/** Doors show it in the time of their reader. */
function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
}
