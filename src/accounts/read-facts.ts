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
  const windows = limits ? windowsOf(limits) : []
  const facts = { email: textOf(who.email), plan: textOf(who.planType), windows, at: now }
  return { facts, isLoggedIn: account !== null, hasWindows: limits !== null }
}

type Limits = protocol.v2.GetAccountRateLimitsResponse
type Snapshot = Limits['rateLimits']

function windowsOf({ rateLimits, rateLimitsByLimitId }: Limits): AccountWindow[] {
  const others = Object.entries(rateLimitsByLimitId ?? {})
    .filter(([id, snapshot]) => snapshot && id !== rateLimits?.limitId)
    .flatMap(([id, snapshot]) => ofSnapshot(snapshot!, `${snapshot!.limitName ?? id} `))
  return [...ofSnapshot(rateLimits, ''), ...others]
}

function ofSnapshot(snapshot: Snapshot, prefix: string): AccountWindow[] {
  return [snapshot?.primary, snapshot?.secondary].flatMap((window) => {
    if (!window || typeof window.usedPercent !== 'number') return []
    const mins = typeof window.windowDurationMins === 'number' ? window.windowDurationMins : null
    const resetsAt = typeof window.resetsAt === 'number' ? window.resetsAt * 1_000 : null
    return [
      { name: `${prefix}${windowName(mins)}`, usedPercent: window.usedPercent, windowMins: mins, resetsAt },
    ]
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
