import type { Codex, protocol } from '../codex/index.ts'
import type { AccountFacts, AccountWindow } from './account.ts'

/** What codex says of its account: who it is, and how full its windows are where it tells. */
export async function readFacts(
  codex: Codex,
  { refresh, now }: { readonly refresh: boolean; readonly now: number },
): Promise<{ facts: AccountFacts; isLoggedIn: boolean; hasWindows: boolean }> {
  const { account } = await codex.request('account/read', { refreshToken: refresh })
  const limits = await codex.request('account/rateLimits/read', {} as never).catch(() => null)
  const who = Object(account) as { email?: unknown; planType?: unknown }
  const windows = limits ? windowsOf(limits, now) : []
  const facts = { email: textOf(who.email), plan: textOf(who.planType), windows, at: now }
  return { facts, isLoggedIn: account !== null, hasWindows: limits !== null }
}

type Limits = protocol.v2.GetAccountRateLimitsResponse
type Snapshot = Limits['rateLimits']

function windowsOf({ rateLimits, rateLimitsByLimitId }: Limits, now: number): AccountWindow[] {
  const others = Object.entries(rateLimitsByLimitId ?? {})
    .filter(([id, snapshot]) => snapshot && id !== rateLimits?.limitId)
    .flatMap(([id, snapshot]) => ofSnapshot(snapshot!, { limit: snapshot!.limitName ?? id, now }))
  return [...ofSnapshot(rateLimits, { limit: null, now }), ...others]
}

/** What codex calls the limit of the plan itself. */
const OF_PLAN = 'codex'

/** Of an `account/rateLimits/updated`, which tells of one limit and leaves out what it does not know. */
export function updatedWindows(snapshot: Snapshot | null | undefined, now: number): AccountWindow[] {
  if (typeof snapshot !== 'object' || snapshot === null) return []
  const { limitId, limitName } = snapshot
  const isOfPlan = typeof limitId !== 'string' || limitId === OF_PLAN
  const limit = isOfPlan ? null : (textOf(limitName) ?? limitId.slice(0, 100))
  return ofSnapshot(snapshot, { limit, now }).filter(({ windowMins }) => windowMins !== null)
}

/** Those that are told of anew take the place of the older ones. */
export function mergedWindows(
  before: readonly AccountWindow[],
  news: readonly AccountWindow[],
): readonly AccountWindow[] {
  const names = new Map(before.map((each) => [each.name, each]))
  for (const each of news)
    names.set(each.name, { ...each, resetsAt: each.resetsAt ?? keptReset(each, names) })
  return [...names.values()].slice(0, MAX_WINDOWS)
}

const MAX_WINDOWS = 20

function keptReset({ name, at }: AccountWindow, before: ReadonlyMap<string, AccountWindow>): number | null {
  const resetsAt = before.get(name)?.resetsAt ?? null
  return resetsAt !== null && resetsAt > at ? resetsAt : null
}

function ofSnapshot(
  snapshot: Snapshot,
  { limit, now }: { readonly limit: string | null; readonly now: number },
): AccountWindow[] {
  return [snapshot?.primary, snapshot?.secondary].flatMap((window) => {
    if (!window || typeof window.usedPercent !== 'number') return []
    const mins = typeof window.windowDurationMins === 'number' ? window.windowDurationMins : null
    const resetsAt = typeof window.resetsAt === 'number' ? window.resetsAt * 1_000 : null
    const model = limit === null ? null : (textOf(snapshot.normalModelSlug) ?? limit)
    const name = `${limit === null ? '' : `${limit} `}${windowName(mins)}`
    return [{ name, model, usedPercent: window.usedPercent, windowMins: mins, resetsAt, at: now }]
  })
}

function windowName(mins: number | null): string {
  if (mins === null) return 'limit'
  if (mins === 10_080) return 'weekly'
  return mins >= 1_440 ? `${Math.round(mins / 1_440)}-day` : `${Math.round(mins / 60)}-hour`
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 200) : null
}
