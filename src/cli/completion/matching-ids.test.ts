import { describe, expect, it } from 'vitest'
import { matchingIds } from './matching-ids.ts'

const ONE = '019c0000-0000-7000-8000-0000aaaa1111'
const TWO = '019c0000-0000-7000-8000-0000abbb2222'
const ids = [ONE, TWO].map((value) => ({ value, description: `about ${value.slice(-4)}` }))
const values = (typed: string) => matchingIds(typed, ids).map(({ value }) => value)

describe('ids that complete what is typed', () => {
  it('are those that lists show, with what they name', () => {
    expect(values('')).toEqual(['aaaa1111', 'abbb2222'])
    expect(values('a')).toEqual(['aaaa1111', 'abbb2222'])
    expect(matchingIds('ab', ids)).toEqual([{ value: 'abbb2222', description: 'about 2222' }])
  })

  it('are whole for the beginning of a whole one', () => {
    expect(values('019c')).toEqual([ONE, TWO])
    expect(values(ONE.slice(0, -4))).toEqual([ONE])
    expect(values(ONE)).toEqual([ONE])
  })

  it('are found by an end that only one has, and that is long enough to name it', () => {
    expect(values('2222')).toEqual([TWO])
    expect(values('222')).toEqual([])
    expect(values('nope')).toEqual([])
  })
})
