import { expect, it } from 'vitest'
import { durationText, timeText } from './time-text.ts'

it('says a moment to the minute, and in which zone', () => {
  expect(timeText(Date.UTC(2026, 10, 16, 4, 27, 59))).toBe('2026-11-16 04:27 UTC')
})

it.each([
  [700, '700 ms'],
  [3_000, '3 s'],
  [90_000, '90 s'],
  [900_000, '15 min'],
  [5_400_000, '90 min'],
  [9_000_000, '2.5 h'],
])('says %d ms as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
