import { expect, it } from 'vitest'
import { SeenRanges } from './seen-ranges.ts'

it('what was scrolled through has been seen, in any order', () => {
  const seen = new SeenRanges()
  for (const top of [0, 500, 1500, 1000]) seen.add(top, top + 600)
  expect(seen.covers(0, 2100)).toBe(true)
  expect(seen.covers(0, 2110)).toBe(false)
})

it('what was jumped over has not', () => {
  const seen = new SeenRanges()
  seen.add(0, 600)
  seen.add(1400, 2000)
  expect(seen.covers(0, 2000)).toBe(false)
  seen.add(600, 1400)
  expect(seen.covers(0, 2000)).toBe(true)
  seen.clear()
  expect(seen.covers(0, 10)).toBe(false)
})
