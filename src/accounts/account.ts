// An account as everyone outside this room sees it: never its login.
import type { StoredAccount } from '../store/index.ts'
import type { AccountKind } from './login-text.ts'

export interface AccountWindow {
  /** `5-hour`, `weekly`, or the name of a model's own limit. */
  readonly name: string
  readonly usedPercent: number
  readonly windowMins: number | null
  readonly resetsAt: number | null
}

/** What codex said of the account when it was last looked at. */
export interface AccountFacts {
  readonly email: string | null
  readonly plan: string | null
  readonly windows: readonly AccountWindow[]
  readonly at: number
}

interface StateReason {
  readonly code: string
  readonly message: string
  readonly at: number
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly kind: AccountKind
  readonly pools: readonly string[]
  readonly state: 'active' | 'disabled' | 'dead'
  readonly stateReason: StateReason | null
  /** The worker that uses it now. */
  readonly usedBy: { readonly worker: string; readonly until: number } | null
  readonly usedAt: number | null
  readonly limitedUntil: number | null
  readonly facts: AccountFacts | null
  readonly reservePercent: number
  readonly onLimit: 'park' | 'switch'
  readonly createdAt: number
}

export function toAccount(row: StoredAccount): Account {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind as AccountKind,
    pools: JSON.parse(row.pools) as string[],
    state: row.state as Account['state'],
    stateReason: parsed(row.state_reason),
    usedBy:
      row.lease_holder === null ? null : { worker: row.lease_holder, until: Number(row.lease_until ?? 0) },
    usedAt: row.used_at,
    limitedUntil: row.limited_until,
    facts: parsed(row.facts),
    reservePercent: row.reserve_percent,
    onLimit: row.on_limit as Account['onLimit'],
    createdAt: row.created_at,
  }
}

function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T)
}

/** Until when the account is not to be used; null: it may be. A window is full when only the reserve is left of it. */
export function cappedUntil(account: Account, now: number): number | null {
  const { limitedUntil, facts, reservePercent } = account
  const full = (facts?.windows ?? []).filter(
    ({ usedPercent, resetsAt }) => usedPercent >= 100 - reservePercent && resetsAt !== null && resetsAt > now,
  )
  const ends = [limitedUntil ?? 0, ...full.map(({ resetsAt }) => resetsAt!)].filter((end) => end > now)
  return ends.length === 0 ? null : Math.max(...ends)
}
