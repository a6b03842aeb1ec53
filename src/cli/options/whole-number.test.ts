import { expect, it } from 'vitest'
import { pageLimit, wholeNumber } from './whole-number.ts'

it('takes whole numbers in their range', () => {
  expect(pageLimit('1')).toBe(1)
  expect(pageLimit('500')).toBe(500)
  expect(wholeNumber('0', 'after', { min: 0, max: Number.MAX_SAFE_INTEGER })).toBe(0)
})

it.each(['x', '', ' ', '0', '501', '1.5', '-1', 'NaN'])('refuses anything else in words: %j', (text) => {
  expect(() => pageLimit(text)).toThrow(`--limit: not a whole number from 1 to 500: ${text}`)
})
