import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { protocol } from './protocol/index.ts'
import { RateLimits } from './rate-limits.ts'

const NOW = 1_800_000_000
beforeEach(() => void vi.useFakeTimers({ now: NOW * 1_000 }))
afterEach(() => void vi.useRealTimers())

const window = (usedPercent: number, resetsAt: number | null) => ({
  usedPercent,
  resetsAt,
  windowDurationMins: 300,
})

function resetAfter(...snapshots: object[]): number | null {
  const limits = new RateLimits()
  for (const snapshot of snapshots) limits.update(snapshot as protocol.v2.RateLimitSnapshot)
  return limits.resetAt && limits.resetAt.getTime() / 1_000 - NOW
}

it('is over when the last of the windows that are used up resets', () => {
  expect(resetAfter({ primary: window(100, NOW + 60), secondary: window(100, NOW + 900) })).toBe(900)
  expect(resetAfter({ primary: window(100, NOW + 60), secondary: window(50, NOW + 900) })).toBe(60)
  expect(resetAfter({ primary: window(99, NOW + 60) })).toBeNull()
  expect(resetAfter({ primary: window(100, null) }, {})).toBeNull()
})

it('is over now when the moment has just passed, and not known when it is long gone', () => {
  expect(resetAfter({ primary: window(100, NOW - 1) })).toBe(-1)
  expect(resetAfter({ primary: window(100, NOW - 60) })).toBeNull()
})
