// Pools: which accounts a pool has, and what it may do. Pure.
import type { StoredPool } from '../store/index.ts'
import type { Account } from './account.ts'

export interface PoolPolicy {
  /** null: as each account says. */
  readonly onLimit: 'park' | 'switch' | null
  /** `any`: its tasks may go from a plan to an API key and back, which is paid for otherwise. */
  readonly billing: 'same' | 'any'
}

export interface Pool extends PoolPolicy {
  readonly name: string
  /** Names of accounts. */
  readonly accounts: readonly string[]
  /** Names of those in it that it gives to no task, because they are paid for otherwise. */
  readonly leftOut: readonly string[]
  readonly changedAt: number | null
  readonly changedBy: string | null
}

const POOL = 'pool:'
const DEFAULT_POLICY: PoolPolicy = { onLimit: null, billing: 'same' }

/** The name in `pool:<name>`; null: one account is asked for. */
export function poolIn(asked: string): string | null {
  return asked.startsWith(POOL) ? asked.slice(POOL.length) : null
}

export function askedPool(name: string): string {
  return `${POOL}${name}`
}

export function policyOfPool(rows: readonly StoredPool[], name: string): PoolPolicy {
  const row = rows.find((each) => each.name === name)
  if (!row) return DEFAULT_POLICY
  return {
    onLimit: row.on_limit === 'switch' || row.on_limit === 'park' ? row.on_limit : null,
    billing: row.billing === 'any' ? 'any' : 'same',
  }
}

export function inPool(accounts: readonly Account[], name: string): Account[] {
  return accounts.filter(({ pools }) => pools.includes(name))
}

/** A plan is paid for otherwise than an API key. */
export function isPaidAlike(a: Account, b: Account): boolean {
  return isByKey(a) === isByKey(b)
}

/**
 * Who may be chosen for a new task, in groups: the next only when none of those before can be used. With `same`, API keys are
 * left out where there is a plan, however full it is: nobody pays by the token without having said so.
 */
export function choices(
  members: readonly Account[],
  { billing }: PoolPolicy,
): readonly (readonly Account[])[] {
  const plans = members.filter((each) => !isByKey(each))
  const keys = members.filter(isByKey)
  const groups = billing === 'any' || plans.length === 0 ? [plans, keys] : [plans]
  return groups.filter((group) => group.length > 0)
}

/** All that have accounts, and all that people have said something of. */
export function poolsOf(accounts: readonly Account[], rows: readonly StoredPool[]): Pool[] {
  const names = new Set([...accounts.flatMap(({ pools }) => pools), ...rows.map(({ name }) => name)])
  return [...names].sort().map((name) => {
    const members = inPool(accounts, name)
    const policy = policyOfPool(rows, name)
    const chosen = new Set(choices(members, policy).flat())
    const row = rows.find((each) => each.name === name)
    return {
      ...{ name, ...policy, accounts: members.map((each) => each.name) },
      leftOut: members.filter((each) => !chosen.has(each)).map((each) => each.name),
      changedAt: row?.changed_at ?? null,
      changedBy: row?.changed_by ?? null,
    }
  })
}

function isByKey({ kind }: Account): boolean {
  return kind === 'apikey'
}
