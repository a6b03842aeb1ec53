import { expect, it } from 'vitest'
import { inOneGo } from './in-one-go.ts'

it('asks together what is asked at once, and gives each its own answer', async () => {
  const asked: (readonly string[])[] = []
  const ask = inOneGo(
    async (places) => {
      asked.push(places)
      return places.map((place) => place.toUpperCase())
    },
    { atMost: 2 },
  )
  expect(await Promise.all(['a', 'b', 'c'].map(ask))).toEqual(['A', 'B', 'C'])
  expect(await ask('d')).toBe('D')
  expect(asked).toEqual([['a', 'b'], ['c'], ['d']])
})

it('fails all that were asked together, and none that come later', async () => {
  let fails = true
  const ask = inOneGo(
    async (places) => {
      if (fails) throw new Error('cut')
      return places
    },
    { atMost: 9 },
  )
  const both = await Promise.allSettled([ask('a'), ask('b')])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await ask('c')).toBe('c')
})
