import { expect, it } from 'vitest'
import { Checksum } from './checksum.ts'
import type { Values } from './pages.ts'

function checksumOf(...rows: Values[]): Checksum {
  const checksum = new Checksum()
  for (const row of rows) checksum.add(row)
  return checksum
}

it('is the same in any order', () => {
  expect(
    checksumOf(['a', 1], ['b', 2], ['c', null]).equals(checksumOf(['c', null], ['a', 1], ['b', 2])),
  ).toBe(true)
})

it.each<[Values[], Values[]]>([
  [[['a']], []],
  [[['a']], [['a'], ['a']]],
  [[], [['a'], ['a']]],
  [[['a', 'b']], [['b', 'a']]],
  [[['ab', 'c']], [['a', 'bc']]],
  [[[1]], [['1']]],
  [[[null]], [['null']]],
  [[[null]], [['']]],
  [[['a\0']], [['a␀']]],
  [
    [
      ['a', 1],
      ['b', 2],
    ],
    [
      ['a', 2],
      ['b', 1],
    ],
  ],
])('differs: %j and %j', (one, other) => {
  expect(checksumOf(...one).equals(checksumOf(...other))).toBe(false)
})
