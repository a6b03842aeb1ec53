// The pools of a service: who is in one, and what it may do.
import { accountRows, changePool, type Db, poolRows, updateAccount } from '../store/index.ts'
import { type Account, toAccount } from './account.ts'
import { AccountError, unknownAccount } from './account-error.ts'
import { checkName } from './kept-logins.ts'
import { type Pool, type PoolPolicy, poolsOf } from './pool.ts'

interface PoolChange extends Partial<{ [Key in keyof PoolPolicy]: PoolPolicy[Key] | undefined }> {
  /** Names of accounts. */
  readonly add?: readonly string[] | undefined
  readonly remove?: readonly string[] | undefined
}

interface PoolParts {
  readonly db: Db
  /** One that is in the pool now, or whose pool may do more. */
  readonly onUsable: (account: Account) => void
}

const MAX_POOLS = 20

export class AccountPools {
  readonly #parts: PoolParts

  constructor(parts: PoolParts) {
    this.#parts = parts
  }

  async list(): Promise<Pool[]> {
    const { db } = this.#parts
    return poolsOf(await this.#accounts(), await poolRows(db))
  }

  async change(name: string, fields: PoolChange, { by }: { readonly by: string }): Promise<Pool> {
    checkName(name)
    const { db, onUsable } = this.#parts
    const { add = [], remove = [], onLimit, billing } = fields
    const all = await this.#accounts()
    const named = (accounts: readonly string[]) =>
      accounts.map((each) => {
        const account = all.find((one) => one.name === each || one.id === each)
        if (!account) throw unknownAccount(each)
        return account
      })
    const [added, removed] = [named(add), named(remove)]
    for (const { name: account, pools } of added)
      if (pools.length >= MAX_POOLS && !pools.includes(name))
        throw new AccountError('bad-login', `${account} is in ${MAX_POOLS} pools already, which is the most`)
    const rule = {
      ...(onLimit !== undefined && { on_limit: onLimit }),
      ...(billing !== undefined && { billing }),
    }
    if (Object.keys(rule).length > 0) await changePool(db, name, { ...rule, by })
    for (const account of removed)
      await this.#put(
        account,
        account.pools.filter((pool) => pool !== name),
      )
    for (const account of added) await this.#put(account, [...new Set([...account.pools, name])])
    const pools = await this.list()
    for (const account of await this.#accounts())
      if (account.pools.includes(name) && account.state === 'active') onUsable(account)
    return pools.find((each) => each.name === name) ?? emptyPool(name)
  }

  #put({ id }: Account, pools: readonly string[]) {
    return updateAccount(this.#parts.db, id, { pools: JSON.stringify(pools) })
  }

  async #accounts(): Promise<Account[]> {
    return (await accountRows(this.#parts.db)).map(toAccount)
  }
}

function emptyPool(name: string): Pool {
  return { name, accounts: [], leftOut: [], onLimit: null, billing: 'same', changedAt: null, changedBy: null }
}
