import { describe, expect, it } from 'vitest'
import { toFailure } from './failure.ts'
import { resetTimeIn } from './reset-time.ts'

const NOW = new Date(2026, 10, 16, 23, 42, 47)

describe('when a limit ends', () => {
  it.each([
    ['You’ve hit your usage limit. Try again at 11:58 PM.', new Date(2026, 10, 16, 23, 59)],
    ['or try again at Nov 17th, 2026 12:42 AM.', new Date(2026, 10, 17, 0, 43)],
    ['Try again at Dec 1st, 2026 12:05 PM.', new Date(2026, 11, 1, 12, 6)],
    ['Please try again in 90s.', new Date(NOW.getTime() + 90_000)],
    ['{"error":{"type":"usage_limit_reached","resets_at":1794876167}}', new Date(1_794_876_167_000)],
    ['{"error":{"resets_in_seconds": 60}}', new Date(NOW.getTime() + 60_000)],
    ['Try again later.', null],
    ['Try again at Foo 1st, 2026 12:05 PM.', null],
    ['{"error":{}}', null],
    ['', null],
  ])('is in "%s"', (message, expected) => {
    expect(resetTimeIn(message, NOW)).toEqual(expected)
  })

  it('is the account’s own word before the message, and nothing for other failures', () => {
    const message = 'Try again at Dec 1st, 2036 12:05 PM.'
    const limit = { message, codexErrorInfo: 'usageLimitExceeded' } as const
    expect(toFailure(limit).resetAt).toEqual(new Date(2036, 11, 1, 12, 6))
    expect(toFailure(limit, { resetAt: NOW }).resetAt).toBe(NOW)
    expect(toFailure({ message, codexErrorInfo: 'badRequest' }).resetAt).toBeNull()
  })
})
