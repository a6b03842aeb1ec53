import { expect, it } from 'vitest'
import { ago, duration } from './relative-time.ts'

it.each([
  [0, '0s'],
  [59_400, '59s'],
  [59_600, '1m'],
  [61_000, '1m'],
  [3_600_000, '1h'],
  [3_900_000, '1h 5m'],
  [90_000_000, '1d 1h'],
  [-5, '0s'],
])('%d ms are %s', (ms, shown) => {
  expect(duration(ms)).toBe(shown)
})

it('what is to come is told as such', () => {
  expect([ago(1_000, 61_000), ago(61_000, 1_000)]).toEqual(['1m ago', 'in 1m'])
})
