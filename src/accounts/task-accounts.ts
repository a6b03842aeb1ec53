// Accounts as tasks borrow them: which one, and whether its login may be used now.
import type { protocol } from '../codex/index.ts'
import { accountRows, type Db, poolRows, updateAccount } from '../store/index.ts'
import { type BorrowedAccount, type BorrowingTask, type TaskAccounts, TaskError } from '../tasks/index.ts'
import { type Account, reservedUntil, toAccount } from './account.ts'
import { AccountError, unknownAccount } from './account-error.ts'
import { carryThread } from './carry-thread.ts'
import { chooseAccount, LOOK_MS, whyUnusable } from './choose-account.ts'
import type { HeardLimits } from './heard-limits.ts'
import type { LentAppServers } from './lent-app-servers.ts'
import { askedPool, choices, inPool, isPaidAlike, type PoolPolicy, policyOfPool, poolIn } from './pool.ts'

export interface LendingParts {
  readonly db: Db
  readonly holder: string
  readonly appServers: LentAppServers
  readonly heard: HeardLimits
  readonly now: () => number
  /** A login was refused in a turn. */
  readonly onRefused: (accountId: string) => void
}

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

  /** A person, or a check, has made it usable. Of one at a limit that lasts only its pools are told, which have others. */
  tellUsable({ id, name, pools, limitedUntil }: Account): void {
    const isLimited = limitedUntil !== null && limitedUntil > this.#parts.now()
    const codexHome = isLimited ? null : this.#parts.appServers.homeOf(id).path
    const asked = [...(isLimited ? [] : [name]), ...pools.map(askedPool)]
    for (const listener of this.#listeners) listener({ codexHome, asked })
  }

  async find(asked: string): ReturnType<TaskAccounts['find']> {
    const accounts = await this.#accounts()
    const pool = poolIn(asked)
    if (pool !== null) {
      if (inPool(accounts, pool).length === 0)
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

  hearLimits(codexHome: string | null, limits: protocol.v2.RateLimitSnapshot | null | undefined): void {
    const id = this.#parts.appServers.accountAt(codexHome)
    if (id !== null) this.#parts.heard.hear(id, limits)
  }

  async switchFrom(task: BorrowingTask): Promise<BorrowedAccount | null> {
    const current = (await this.#accounts()).find(({ id }) => id === task.accountId)
    return current ? this.#switch(task, current, `${current.name} has hit its limit`) : null
  }

  /** Its thread is carried along. null: it stays where it is. */
  async #switch(task: BorrowingTask, current: Account, why: string): Promise<BorrowedAccount | null> {
    const { threadId, codexHome } = task
    const pool = poolIn(task.account)
    if (threadId === null || codexHome === null || pool === null) return null
    const policy = await this.#policyOf(pool)
    if ((task.onLimit ?? policy.onLimit ?? current.onLimit) !== 'switch') return null
    const others = inPool(await this.#accounts(), pool).filter(({ id }) => id !== current.id)
    const alike = others.filter((each) => isPaidAlike(each, current))
    const rest = policy.billing === 'any' ? others.filter((each) => !isPaidAlike(each, current)) : []
    const chosen = this.#firstOf([alike, rest], task)
    if (!chosen) return null
    const home = this.#parts.appServers.homeOf(chosen.id).path
    if (!carryThread(threadId, { from: codexHome, to: home })) return null
    const told = `${why}: the thread goes on with ${chosen.name}, as --on-limit switch says${billingNote(current, chosen)}`
    return { id: chosen.id, name: chosen.name, codexHome: home, why: told }
  }

  async #borrow(task: BorrowingTask): Promise<BorrowedAccount> {
    // What the turns before have told decides who is next.
    await this.#parts.heard.stored()
    const accounts = await this.#accounts()
    const pool = poolIn(task.account)
    // Its thread, or the one it was forked from, is in the home of that account.
    if (pool === null || task.codexHome !== null) {
      const named = accounts.find(({ id }) => id === task.accountId)
      if (!named) throw unknownAccount(task.account)
      if (pool !== null && task.isOfToken) this.#refuseOutside(pool, named)
      return this.#borrowNamed(task, named)
    }
    const members = inPool(accounts, pool)
    if (members.length === 0) throw unknownAccount(task.account)
    const policy = await this.#policyOf(pool)
    const groups = choices(members, policy)
    const isLeftOut = groups.flat().length < members.length
    const advice = isLeftOut
      ? `Its API keys are left out, since they are paid for otherwise: \`drawbridge account pool ${pool} --billing any\` allows them`
      : null
    const chosen = chooseAccount(groups, task.account, this.#choosingNow(task, advice))
    const paid = groups.length > 1 && chosen.kind === 'apikey' ? `: ${BY_KEY}` : ''
    return this.#lend(chosen, `${chosen.name} is next in the ${task.account}${paid}`)
  }

  /** The token was given the pool: what a person takes out of it is no longer the token's to use. */
  #refuseOutside(pool: string, named: Account): void {
    if (inPool([named], pool).length > 0) return
    throw new AccountError(
      'account-busy',
      `${named.name} is no longer in the ${askedPool(pool)}, and this task was started with a token for that pool: \`drawbridge account pool ${pool} --add ${named.name}\` lets it go on`,
      { retryAt: this.#parts.now() + LOOK_MS },
    )
  }

  async #borrowNamed(task: BorrowingTask, named: Account): Promise<BorrowedAccount> {
    const { now } = this.#parts
    const why = whyUnusable(named)
    if (why !== null) throw new AccountError('account-busy', why, { retryAt: now() + LOOK_MS })
    const until = reservedUntil(named, { now: now(), model: task.model })
    if (until === null) return this.#lend(named, null)
    const left = `only the reserve of ${named.reservePercent} % is left of ${named.name}`
    const other = await this.#switch(task, named, left)
    if (other) return other
    throw new AccountError('account-busy', `${left}, until ${timeText(until)}`, {
      retryAt: Math.min(until, now() + LOOK_MS),
    })
  }

  async #lend({ id, name }: Account, why: string | null): Promise<BorrowedAccount> {
    const { appServers, db, now } = this.#parts
    await updateAccount(db, id, { used_at: now() })
    return { id, name, codexHome: appServers.homeOf(id).path, why }
  }

  #firstOf(groups: readonly (readonly Account[])[], task: BorrowingTask): Account | null {
    if (groups.flat().length === 0) return null
    try {
      return chooseAccount(groups, task.account, this.#choosingNow(task, null))
    } catch (error) {
      if (error instanceof AccountError) return null
      throw error
    }
  }

  #choosingNow({ model }: BorrowingTask, advice: string | null) {
    const { now, holder } = this.#parts
    return { now: now(), model, holder, timeText, advice }
  }

  async #policyOf(pool: string): Promise<PoolPolicy> {
    return policyOfPool(await poolRows(this.#parts.db), pool)
  }

  async #accounts(): Promise<Account[]> {
    return (await accountRows(this.#parts.db)).map(toAccount)
  }
}

const BY_KEY = 'its turns are billed by API key from now on, which the pool allows (--billing any)'

function billingNote(from: Account, to: Account): string {
  if (isPaidAlike(from, to)) return ''
  return to.kind === 'apikey' ? `; ${BY_KEY}` : '; its turns are billed to the plan from now on'
}

/** Doors show it in the time of their reader. */
function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
}
