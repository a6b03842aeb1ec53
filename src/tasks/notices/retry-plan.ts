import { backoffMs } from '../../util/backoff.ts'
import type { SendResult } from './senders/index.ts'

export interface RetryOptions {
  /** Default 12: with these waits about a day. */
  readonly maxAttempts: number
  readonly baseMs: number
  readonly maxMs: number
  readonly random: () => number
}

export const RETRIES: RetryOptions = {
  maxAttempts: 12,
  baseMs: 60_000,
  maxMs: 12 * 3_600_000,
  random: Math.random,
}

const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000
const SHORTEST_RETRY_AFTER_MS = 1_000
/** So often a receiver's own word is enough; after that we also slow down ourselves. */
const TRUSTED_ATTEMPTS = 3

/** How long to wait after this many attempts; null: give up. */
export function nextDelayMs(
  failure: Extract<SendResult, { ok: false }>,
  { attempts, retries }: { readonly attempts: number; readonly retries: RetryOptions },
): number | null {
  if (failure.permanent || attempts >= retries.maxAttempts) return null
  const backoff = backoffMs(attempts - 1, retries)
  if (failure.retryAfterMs === null) return backoff
  const asked = Math.min(Math.max(failure.retryAfterMs, SHORTEST_RETRY_AFTER_MS), LONGEST_RETRY_AFTER_MS)
  return attempts <= TRUSTED_ATTEMPTS ? asked : Math.max(asked, backoff)
}
