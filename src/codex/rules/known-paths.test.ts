import { expect, it } from 'vitest'
import { type KnownPaths, lookUpPaths } from './known-paths.ts'

/** Each folder leads to the next: what is asked for depends on what was told. */
const chain = (length: number) => (paths: KnownPaths) => {
  let place: string | null = '/0'
  for (let step = 0; step < length && place !== null; step++) place = paths.resolve(place)
  return place
}
const next = async (place: string) => `/${Number(place.slice(1)) + 1}`

it('looks up what depends on other paths, and each path once', async () => {
  const asked: string[] = []
  const read = chain(3)
  const paths = await lookUpPaths(read, (place) => {
    asked.push(place)
    return next(place)
  })
  expect(read(paths)).toBe('/3')
  expect(paths.hasGaps).toBe(false)
  expect(asked).toEqual(['/0', '/1', '/2'])
})

it('knows of a path that leads nowhere, which is no gap', async () => {
  const read = (paths: KnownPaths) => paths.resolve('/x')
  const paths = await lookUpPaths(read, async () => null)
  expect([read(paths), paths.hasGaps]).toEqual([null, false])
})

it('has a gap where nothing was looked up', async () => {
  const paths = await lookUpPaths(() => {}, next)
  expect([paths.resolve('/x'), paths.hasGaps, paths.missing]).toEqual([null, true, ['/x']])
})

it.each([
  ['the machine cannot be asked', chain(1), () => Promise.reject(new Error('cut off'))],
  ['it takes too many steps', chain(30), next],
  [
    'it needs too many paths',
    (paths: KnownPaths) => void Array.from({ length: 5_000 }, (_, n) => paths.resolve(`/${n}`)),
    next,
  ],
])('has gaps when %s', async (_, read, realPath) => {
  const paths = await lookUpPaths(read, realPath)
  read(paths)
  expect(paths.hasGaps).toBe(true)
})

it('tells nothing of what was looked up for a question that was withdrawn meanwhile', async () => {
  const withdrawal = new AbortController()
  const read = chain(1)
  const paths = await lookUpPaths(
    read,
    async (place) => {
      withdrawal.abort()
      return place
    },
    withdrawal,
  )
  expect([read(paths), paths.hasGaps]).toEqual([null, true])
})
