import { expect, it } from 'vitest'
import { expiryTime } from './expiry.ts'

const NOW = Date.parse('2026-11-18T12:00:00Z')
const HOUR = 3_600_000

it.each([
  ['12h', NOW + 12 * HOUR],
  ['30d', NOW + 30 * 24 * HOUR],
  ['8w', NOW + 8 * 7 * 24 * HOUR],
  ['2027-01-31T10:00:00Z', Date.parse('2027-01-31T10:00:00Z')],
  ['2027-01-31', new Date(2027, 0, 31).getTime()],
])('%s is a time', (text, at) => {
  expect(expiryTime(text, NOW)).toBe(at)
})

it.each(['', '0d', '30', '30 d', '-1d', '1.5h', '99999d', 'tomorrow', '2027', '2027-13-01', '2020-01-01'])(
  'refuses %j',
  (text) => {
    expect(() => expiryTime(text, NOW)).toThrow(/^--expires: /)
  },
)
