// An account as everyone outside this room sees it: never its login.
import type { StoredAccount } from '../store/index.ts'
import type { AccountKind } from './login-text.ts'

export interface AccountWindow {
  /** `5-hour`, `weekly`, or the name of a model's own limit. */
  readonly name: string
  /** The model that it is a limit of; null: of the plan, for all. */
  readonly model: string | null
  readonly usedPercent: number
  readonly windowMins: number | null
  readonly resetsAt: number | null
  /** When codex said so: in a check, or during a turn. */
  readonly at: number
}

/** What codex said of the account. */
export interface AccountFacts {
  readonly email: string | null
  readonly plan: string | null
  readonly windows: readonly AccountWindow[]
  /** When it was last checked; null: only turns have told of it. */
  readonly at: number | null
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
    facts: factsOf(row),
    reservePercent: row.reserve_percent,
    onLimit: row.on_limit as Account['onLimit'],
    createdAt: row.created_at,
  }
}

export function factsOf({ facts: json }: Pick<StoredAccount, 'facts'>): AccountFacts | null {
  const facts = parsed<AccountFacts>(json)
  // An earlier version stored one time for all.
  return (
    facts && {
      ...facts,
      windows: facts.windows.map((each) => ({
        ...each,
        model: each.model ?? null,
        at: each.at ?? facts.at ?? 0,
      })),
    }
  )
}

function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T)
}

/** What is to run on an account, and when. */
export interface Use {
  readonly now: number
  /** null: the one that codex takes by itself. */
  readonly model: string | null
}

/** Until when the account is not to be used; null: it may be. A window is full when only the reserve is left of it. */
export function cappedUntil(account: Account, use: Use): number | null {
  return later(account.limitedUntil, fullUntil(account, use), use.now)
}

/** Until when only what is left to people is left of it; null: it has no reserve, or more than that. */
export function reservedUntil(account: Account, use: Use): number | null {
  return account.reservePercent > 0 ? fullUntil(account, use) : null
}

/** A limit of another model is none of this use. */
function fullUntil({ facts, reservePercent }: Account, { now, model }: Use): number | null {
  return (facts?.windows ?? [])
    .filter((each) => each.usedPercent >= 100 - reservePercent)
    .filter((each) => each.model === null || plain(each.model) === plain(model ?? ''))
    .reduce<number | null>((end, { resetsAt }) => later(end, resetsAt, now), null)
}

/** Codex names the model of a limit by its slug, or as people read it. */
function plain(model: string): string {
  return model.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function later(a: number | null, b: number | null, now: number): number | null {
  const end = Math.max(a ?? 0, b ?? 0)
  return end > now ? end : null
}
