// A chunk has its name when it is on disk, and not before.
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeWorkspace } from '../../testing/index.ts'
import { ChunkCodec } from './chunk-codec.ts'
import { ChunkStore } from './chunk-store.ts'

async function stage() {
  const folder = await makeWorkspace()
  onTestFinished(() => folder.remove())
  const store = new ChunkStore(folder.path, new ChunkCodec(null))
  const partials = () => readdirSync(path.join(folder.path, 'tmp'))
  return { store, partials, tmp: path.join(folder.path, 'tmp') }
}

it('what was put gets its name with the next publish, from everybody who put the same only once', async () => {
  const { store, partials } = await stage()
  const plain = Buffer.concat([randomBytes(100_000), Buffer.alloc(300_000, 'text ')])
  const puts = await Promise.all([store.put(plain), store.put(plain), store.put(plain)])
  const { ref } = puts[0]!
  expect(puts.filter(({ storedBytes }) => storedBytes > 0)).toHaveLength(1)
  expect(existsSync(store.place(ref[0]))).toBe(false)
  expect(partials()).toHaveLength(1)
  await expect(store.get(ref)).rejects.toMatchObject({ code: 'snapshot-damaged' })
  await Promise.all([store.publish(), store.publish()])
  expect(partials()).toEqual([])
  expect((await store.get(ref)).equals(plain)).toBe(true)
  expect(await store.put(plain)).toEqual({ ref, storedBytes: 0 })
})

it('many are synced at once, and each comes out again', async () => {
  const { store, partials } = await stage()
  const all = Array.from({ length: 100 }, (_, at) => Buffer.from(`${at} `.repeat(1000)))
  const puts = await Promise.all(all.map((plain) => store.put(plain)))
  await store.publish()
  expect(partials()).toEqual([])
  for (const [at, { ref }] of puts.entries()) expect((await store.get(ref)).equals(all[at]!)).toBe(true)
})

it('what an attempt that failed was still writing is swept too, and does not disturb the next', async () => {
  const { store, partials } = await stage()
  const puts = Array.from({ length: 20 }, () => store.put(randomBytes(300_000)))
  const published = store.publish()
  await store.sweep(new Set(), { olderThanMs: 0 })
  await Promise.all([published, ...puts])
  expect(partials()).toEqual([])
  const { ref } = await store.put(Buffer.from('next'))
  await store.publish()
  expect((await store.get(ref)).toString()).toBe('next')
})

it('after a publish that failed none succeeds, until what it left is swept', async () => {
  const { store, partials, tmp } = await stage()
  const { ref } = await store.put(Buffer.from('lost'))
  rmSync(path.join(tmp, partials()[0]!))
  await expect(store.publish()).rejects.toMatchObject({ code: 'ENOENT' })
  await store.put(Buffer.from('other'))
  await expect(store.publish()).rejects.toMatchObject({ code: 'ENOENT' })
  await store.sweep(new Set(), { olderThanMs: 0 })
  expect(partials()).toEqual([])
  await store.put(Buffer.from('lost'))
  await store.publish()
  expect(readFileSync(store.place(ref[0])).length).toBeGreaterThan(0)
})
