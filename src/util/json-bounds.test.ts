import { expect, it } from 'vitest'
import { problemWithObject, whyTooMuch } from './json-bounds.ts'

const bounds = { depth: 3, characters: 100 }

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value }
  return value
}

it('finds what is nested too deep, however deep', () => {
  expect(whyTooMuch(nested(3), bounds)).toBeNull()
  expect(whyTooMuch(nested(4), bounds)).toBe('is nested deeper than 3')
  expect(whyTooMuch(nested(500_000), bounds)).toBe('is nested deeper than 3')
})

it('counts keys and texts', () => {
  expect(whyTooMuch({ a: 'x'.repeat(80) }, bounds)).toBeNull()
  expect(whyTooMuch({ a: 'x'.repeat(100) }, bounds)).toBe('is larger than 100 characters')
  expect(whyTooMuch({ ['x'.repeat(100)]: 1 }, bounds)).toBe('is larger than 100 characters')
  expect(whyTooMuch(Array(60).fill(0), bounds)).toBe('is larger than 100 characters')
})

it('wants an object', () => {
  for (const other of [[], null, 'x', 1, true, undefined])
    expect(problemWithObject(other)).toBe('must be a JSON object')
  expect(problemWithObject({ type: 'object' })).toBeNull()
  expect(problemWithObject(nested(4_001))).toBe('is nested deeper than 100')
})
