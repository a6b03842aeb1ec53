// An account as people read it.
import type { protocol } from '../../codex/index.ts'
import { localTime } from '../screen/index.ts'

type Account = NonNullable<protocol.v2.GetAccountResponse['account']>

/** As `GET /v1/account` answers, what we act on of it; the rest is codex's. */
export interface AccountFacts {
  readonly account?: Account | null
  readonly requiresOpenaiAuth?: boolean
  readonly rateLimits?: { readonly rateLimits?: Partial<protocol.v2.RateLimitSnapshot> | null } | null
}

/** To go on after "Logged in". */
export function describeAccount(
  account: Account,
  shown: (email: string) => string = (email) => email,
): string {
  switch (account.type) {
    case 'chatgpt':
      return `with ChatGPT${account.email ? ` as ${shown(account.email)}` : ''}, plan ${account.planType}`
    case 'apiKey':
      return 'with an OpenAI API key'
    case 'amazonBedrock':
      return 'through Amazon Bedrock'
    case 'gcp':
      return 'through Google Cloud'
    default:
      return `(${(account as { type: string }).type})`
  }
}

/** One line for each limit that codex tells of. */
export function limitLines({ rateLimits }: AccountFacts, now: number): string[] {
  const { primary, secondary } = rateLimits?.rateLimits ?? {}
  return [primary, secondary].flatMap((window) => {
    if (!window || typeof window.usedPercent !== 'number') return []
    const { usedPercent, windowDurationMins, resetsAt } = window
    const of = windowDurationMins === null ? 'limit' : `${windowText(windowDurationMins)} limit`
    const resets = typeof resetsAt === 'number' ? `, resets at ${localTime(resetsAt * 1_000, now)}` : ''
    return [`${of}: ${Math.round(usedPercent)} % used${resets}`]
  })
}

function windowText(minutes: number): string {
  if (minutes >= 1_440) return `${Math.round(minutes / 1_440)}-day`
  return minutes >= 60 ? `${Math.round(minutes / 60)}-hour` : `${minutes}-minute`
}
