// Which account a task runs on. Pure.

import { type Account, cappedUntil, type Use } from './account.ts'
import { AccountError } from './account-error.ts'

export interface Choosing extends Use {
  /** This worker. */
  readonly holder: string
  /** A time as people read it. */
  readonly timeText: (at: number) => string
  /** What else may be done when none can be used. */
  readonly advice?: string | null
}

/** How soon accounts are looked at again. One that a person sees to is told of at once. */
export const LOOK_MS = 5 * 60_000

/**
 * The one that was used longest ago, of those in the first group that has any that can be used now. Throws `account-busy`
 * with the reason none can.
 */
export function chooseAccount(
  groups: readonly (readonly Account[])[],
  asked: string,
  choosing: Choosing,
): Account {
  for (const group of groups) {
    const chosen = firstOf(group, choosing)
    if (chosen) return chosen
  }
  throw noneOf(groups.flat(), asked, choosing)
}

function firstOf(candidates: readonly Account[], choosing: Choosing): Account | undefined {
  const { now, holder } = choosing
  const usable = candidates.filter((each) => each.state === 'active' && cappedUntil(each, choosing) === null)
  const isFree = ({ usedBy }: Account) => usedBy === null || usedBy.worker === holder || usedBy.until < now
  return [...usable].sort(
    (a, b) => Number(isFree(b)) - Number(isFree(a)) || (a.usedAt ?? 0) - (b.usedAt ?? 0),
  )[0]
}

/** Why an account cannot be used at all; null: it can. */
export function whyUnusable({ name, state, stateReason }: Account): string | null {
  if (state === 'active') return null
  const why = stateReason ? ` (${stateReason.message})` : ''
  return state === 'dead'
    ? `the login of the account ${name} is dead${why}: log in again with \`drawbridge account add ${name} --replace\``
    : `the account ${name} is disabled${why}: \`drawbridge account enable ${name}\` lets tasks use it`
}

function noneOf(candidates: readonly Account[], asked: string, choosing: Choosing): AccountError {
  const { now, timeText, advice } = choosing
  const more = advice ? `. ${advice}` : ''
  const retryAt = now + LOOK_MS
  const active = candidates.filter(({ state }) => state === 'active')
  if (active.length === 0) {
    const [only] = candidates
    const message =
      candidates.length === 1
        ? whyUnusable(only!)!
        : `no account of ${asked} can be used: all ${candidates.length} are disabled or dead`
    return new AccountError('account-busy', `${message}${more}`, { retryAt })
  }
  const ends = Math.min(...active.map((each) => cappedUntil(each, choosing) ?? now))
  const which = active.length === 1 ? `the account ${active[0]!.name} has` : `all accounts of ${asked} have`
  return new AccountError(
    'account-busy',
    `${which} hit a limit, or only the reserve is left, until ${timeText(ends)}${more}`,
    { retryAt: Math.min(ends, now + LOOK_MS) },
  )
}
