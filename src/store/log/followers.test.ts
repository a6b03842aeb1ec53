// On real databases: the log is the buffer of whoever falls behind.
import { describe, expect, it } from 'vitest'
import { STORES, type TestStore } from '../../../test/support/stores.ts'
import { eventRow, taskRow } from '../fixtures/sample-rows.ts'
import { insertEvents } from '../rows/insert-events.ts'
import type { EventRow } from '../schema.ts'
import { Followers } from './followers.ts'

async function openedOn(store: TestStore) {
  const { db, reader } = await store.open()
  await db
    .insertInto('tasks')
    .values([taskRow('a'), taskRow('b')])
    .execute()
  const followers = new Followers(reader)
  /** As the log does: first on disk, then told. */
  const commit = async (rows: readonly EventRow[]) => {
    await insertEvents(db, rows)
    followers.publish(rows)
  }
  return { followers, commit, db }
}

const rows = (taskId: string, from: number, to: number, change: Partial<EventRow> = {}) =>
  Array.from({ length: to - from + 1 }, (_, index) => eventRow(taskId, from + index, change))

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index)

/** Reads until this sequence. */
async function read(following: AsyncIterable<{ seq: number }>, last: number): Promise<number[]> {
  const seqs: number[] = []
  for await (const { seq } of following) {
    seqs.push(seq)
    if (seq >= last) break
  }
  return seqs
}

const signal = () => AbortSignal.timeout(10_000)

describe.each(STORES)('a follower, on $name', ({ make }) => {
  const opened = async () => openedOn(await make())

  it('gets what is stored, then what comes, of its own task only', async () => {
    const { followers, commit } = await opened()
    await commit(rows('a', 1, 700))
    const reading = read(followers.follow('a', { after: 0, signal: signal() }), 710)
    await commit([...rows('b', 1, 5), ...rows('a', 701, 705)])
    await commit(rows('a', 706, 710))
    expect(await reading).toEqual(upTo(710))
    expect(followers.count).toBe(0)
  })

  it('begins where it is told to', async () => {
    const { followers, commit } = await opened()
    await commit(rows('a', 1, 20))
    expect(await read(followers.follow('a', { after: 15, signal: signal() }), 20)).toEqual(upTo(20, 16))
  })

  it('asks first whether it may, and leaves nothing behind when it may not', async () => {
    const { followers } = await opened()
    const known = () => Promise.reject(new Error('no such task'))
    const following = followers.follow('x', { after: 0, signal: signal(), known })
    await expect(following.next()).rejects.toThrow('no such task')
    expect(followers.count).toBe(0)
  })

  it('that does not read while thousands come reads them from the store, each once', async () => {
    const { followers, commit } = await opened()
    await commit(rows('a', 1, 3))
    const following = followers.follow('a', { after: 0, signal: signal() })
    expect((await following.next()).value).toMatchObject({ seq: 1 })
    for (let from = 4; from <= 6_000; from += 500) await commit(rows('a', from, Math.min(from + 499, 6_000)))
    expect(await read(following, 6_000)).toEqual(upTo(6_000, 2))
  })

  it('misses only what is no longer in the store', async () => {
    const { followers, commit, db } = await opened()
    const following = followers.follow('a', { after: 0, signal: signal() })
    const first = following.next()
    await commit(rows('a', 1, 1))
    await first
    for (let from = 2; from <= 4_000; from += 500)
      await commit(rows('a', from, from + 499, { is_delta: 1, item_id: 'i' }))
    await db.deleteFrom('events').where('is_delta', '=', 1).execute()
    await commit(rows('a', 5_000, 5_001))
    expect((await read(following, 5_001)).slice(-2)).toEqual([5_000, 5_001])
  })

  it('ends with its signal, and when its task is gone', async () => {
    const { followers, commit } = await opened()
    await commit(rows('a', 1, 2))
    const stop = new AbortController()
    const following = followers.follow('a', { after: 0, signal: stop.signal })
    await following.next()
    await following.next()
    const waiting = following.next()
    stop.abort()
    expect(await waiting).toEqual({ done: true, value: undefined })
    const other = followers.follow('a', { after: 2, signal: signal() })
    const next = other.next()
    await commit(rows('a', 3, 3))
    expect((await next).value).toMatchObject({ seq: 3 })
    const last = other.next()
    followers.end('a')
    expect((await last).done).toBe(true)
    expect(followers.count).toBe(0)
  })
})

describe.each(STORES)('a follower of all, on $name', ({ make }) => {
  const opened = async () => openedOn(await make())

  it('gets our own events of every task from then on', async () => {
    const { followers, commit } = await opened()
    const own = { method: 'drawbridge/task' }
    await commit(rows('a', 1, 1, own))
    const stop = new AbortController()
    const following = followers.followAll({ signal: stop.signal })
    const heard: string[] = []
    const reading = (async () => {
      for await (const { taskId, seq } of following) if (heard.push(`${taskId}${seq}`) === 2) stop.abort()
    })()
    await commit([...rows('a', 2, 2, own), ...rows('a', 3, 3), ...rows('b', 1, 1, own)])
    await reading
    expect(heard).toEqual(['a2', 'b1'])
  })

  it('that falls behind ends, so that its user starts over', async () => {
    const { followers, commit } = await opened()
    const following = followers.followAll({ signal: signal() })
    const first = following.next()
    await commit(rows('a', 1, 1, { method: 'drawbridge/task' }))
    await first
    await commit(rows('a', 2, 2_500, { method: 'drawbridge/task' }))
    expect((await following.next()).done).toBe(true)
    expect(followers.count).toBe(0)
  })
})
