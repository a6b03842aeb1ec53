// The feed on a real PostgreSQL.
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import type { Db } from '../db.ts'
import { eventRow, taskRow } from '../fixtures/sample-rows.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import { feedPage, feedStart, insertFeed, pruneFeed } from './feed-rows.ts'
import { insertEvents } from './insert-events.ts'

async function database(): Promise<Db> {
  const { db, close } = await openPostgres({ url: await freshDatabase('migrated'), poolSize: 8 })
  onTestFinished(() => close())
  await db
    .insertInto('tasks')
    .values([taskRow('a'), taskRow('b')])
    .execute()
  return db
}

async function store(db: Db, taskId: string, seq: number, origin = 'other'): Promise<void> {
  const row = eventRow(taskId, seq, { method: 'drawbridge/task' })
  await insertEvents(db, [row])
  await insertFeed(db, { origin, events: [row] })
}

/** A transaction that has stored an event and is not committed until it is told to. */
async function open(db: Db, taskId: string, seq: number): Promise<() => Promise<void>> {
  const { promise: told, resolve: commit } = Promise.withResolvers<void>()
  const { promise: stored, resolve } = Promise.withResolvers<void>()
  const done = db.transaction().execute(async (transaction) => {
    await store(transaction, taskId, seq)
    resolve()
    await told
  })
  await stored
  return async () => {
    commit()
    await done
  }
}

/** Reads on from where it was, as a worker does. */
async function reader(db: Db, limit = 100) {
  let since = (await feedStart(db)).snapshot
  return async () => {
    const got: string[] = []
    let position: { upTo: string | null; afterId: number } = { upTo: null, afterId: 0 }
    for (;;) {
      const page = await feedPage(db, { since, ...position, except: 'me', limit })
      got.push(...page.events.map(({ taskId, seq }) => `${taskId}${seq}`))
      if (page.lastId === null) {
        since = page.snapshot
        return got
      }
      position = { upTo: page.snapshot, afterId: page.lastId }
    }
  }
}

describe('the feed', () => {
  it('gives what has been stored since, once, and nothing from before or of oneself', async () => {
    const db = await database()
    await store(db, 'a', 1)
    const read = await reader(db)
    expect(await read()).toEqual([])
    await store(db, 'a', 2)
    await store(db, 'b', 1, 'me')
    await store(db, 'b', 2)
    expect(await read()).toEqual(['a2', 'b2'])
    expect(await read()).toEqual([])
  })

  it('misses nothing when transactions commit in another order than they began', async () => {
    const db = await database()
    const before = await open(db, 'a', 1)
    const read = await reader(db)
    const [first, second, third] = [await open(db, 'a', 2), await open(db, 'b', 1), await open(db, 'b', 2)]
    await second()
    expect(await read()).toEqual(['b1'])
    await store(db, 'b', 3)
    await third()
    expect(await read()).toEqual(['b2', 'b3'])
    await before()
    expect(await read()).toEqual(['a1'])
    expect(await read()).toEqual([])
    await first()
    expect(await read()).toEqual(['a2'])
  })

  it('is not held up by a transaction of others that stays open', async () => {
    const db = await database()
    const read = await reader(db)
    const commit = await open(db, 'a', 1)
    for (let seq = 1; seq <= 3; seq++) {
      await store(db, 'b', seq)
      expect(await read()).toEqual([`b${seq}`])
    }
    await commit()
    expect(await read()).toEqual(['a1'])
  })

  it('comes in pages, and what is stored meanwhile comes after them', async () => {
    const db = await database()
    const { snapshot: since } = await feedStart(db)
    for (let seq = 1; seq <= 5; seq++) await store(db, 'a', seq)
    const range = { since, except: 'me', limit: 2 }
    const pages = [await feedPage(db, { ...range, upTo: null, afterId: 0 })]
    await store(db, 'a', 6)
    while (pages.at(-1)!.lastId !== null) {
      const { snapshot: upTo, lastId } = pages.at(-1)!
      pages.push(await feedPage(db, { ...range, upTo, afterId: lastId! }))
    }
    expect(pages.map(({ events }) => events.map(({ seq }) => seq))).toEqual([[1, 2], [3, 4], [5]])
    const rest = await feedPage(db, { ...range, since: pages.at(-1)!.snapshot, upTo: null, afterId: 0 })
    expect(rest.events.map(({ seq }) => seq)).toEqual([6])
  })

  it('counts savepoints as their transaction', async () => {
    const db = await database()
    const read = await reader(db)
    await db.transaction().execute(async (transaction) => {
      await sql`savepoint change`.execute(transaction)
      await store(transaction, 'a', 1)
      await sql`release savepoint change`.execute(transaction)
      expect(await read()).toEqual([])
    })
    expect(await read()).toEqual(['a1'])
  })

  it('passes by events that are gone and transactions of another server', async () => {
    const db = await database()
    const read = await reader(db)
    await store(db, 'a', 1)
    await store(db, 'a', 2)
    await store(db, 'a', 3)
    await db.deleteFrom('events').where('seq', '=', 1).execute()
    await db
      .updateTable('feed')
      .set({ xact: 2 ** 50 })
      .where('seq', '=', 2)
      .execute()
    expect(await read()).toEqual(['a3'])
    expect(await read()).toEqual([])
  })

  it('is pruned by age, a limited number at a time', async () => {
    const db = await database()
    for (let seq = 1; seq <= 5; seq++) await store(db, 'a', seq)
    await db.updateTable('feed').set({ at: 1 }).where('seq', '<=', 3).execute()
    const left = async () =>
      (await db.selectFrom('feed').select('seq').orderBy('id').execute()).map(({ seq }) => seq)
    expect(await pruneFeed(db, { ageMs: 60_000, limit: 2 })).toBe(2)
    expect(await left()).toEqual([3, 4, 5])
    expect(await pruneFeed(db, { ageMs: 60_000, limit: 2 })).toBe(1)
    expect(await left()).toEqual([4, 5])
  })
})
