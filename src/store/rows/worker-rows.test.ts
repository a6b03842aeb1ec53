import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { taskRow } from '../fixtures/sample-rows.ts'
import { expire, inOne, LEASE, started } from '../fixtures/workers.ts'
import { claimTasks } from './lease-rows.ts'
import { taskRow as storedTask } from './task-rows.ts'
import {
  beatWorker,
  countCommit,
  listWorkers,
  loseWorkers,
  readDatabaseTime,
  setDraining,
  stopWorker,
} from './worker-rows.ts'

const BEAT = { ...LEASE, working: 0, url: null }

describe.each(STORES)('a worker on $name', ({ make }) => {
  async function opened() {
    const { db } = await (await make()).open()
    await db
      .insertInto('tasks')
      .values(['t1', 't2'].map((id) => taskRow(id, { status: 'queued', ended_at: null })))
      .execute()
    return db
  }

  it('has a lease on the clock of the database, which a beat renews', async () => {
    const db = await opened()
    const start = await started(db, 'a', 'a1', { labels: ['gpu'] })
    const now = await readDatabaseTime(db)
    const [first] = await listWorkers(db)
    expect(first).toMatchObject({ id: 'a', boot: 'a1', state: 'up', labels: '["gpu"]', commits: 0 })
    expect(Math.abs(first!.lease_until - now - LEASE.leaseMs)).toBeLessThan(5_000)
    await expire(db, 'a')
    const beaten = await beatWorker(db, start, { ...BEAT, working: 3, url: 'http://a' })
    expect(beaten).toMatchObject({ working: 3, url: 'http://a', state: 'up' })
    expect(beaten!.lease_until).toBeGreaterThanOrEqual(now + LEASE.leaseMs)
  })

  it('numbers its transactions: each goes in once, in order', async () => {
    const db = await opened()
    const start = await started(db, 'a', 'a1')
    const counted = (commit: number) => inOne(db, (trx) => countCommit(trx, start, commit))
    expect([await counted(1), await counted(2)]).toEqual(['open', 'open'])
    expect(await counted(2)).toBe('committed')
    // Neither the one before nor one that leaves a gap can be ours.
    expect([await counted(1), await counted(4)]).toEqual(['lost', 'lost'])
    expect(await counted(3)).toBe('open')
  })

  it('does not count a transaction that was undone', async () => {
    const db = await opened()
    const start = await started(db, 'a', 'a1')
    const undone = inOne(db, async (trx) => {
      expect(await countCommit(trx, start, 1)).toBe('open')
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await inOne(db, (trx) => countCommit(trx, start, 1))).toBe('open')
  })

  it('that is late but not declared lost goes on; declared lost it can neither beat nor write', async () => {
    const db = await opened()
    const start = await started(db, 'a', 'a1')
    await inOne(db, (trx) => claimTasks(trx, ['t1'], start))
    expect(await loseWorkers(db)).toEqual([])
    await expire(db, 'a')
    expect(await inOne(db, (trx) => countCommit(trx, start, 1))).toBe('open')
    expect(await beatWorker(db, start, BEAT)).toMatchObject({ id: 'a' })
    expect(await loseWorkers(db)).toEqual([])
    await expire(db, 'a')
    expect(await loseWorkers(db, { except: 'a' })).toEqual([])
    expect((await loseWorkers(db)).map(({ id, state }) => [id, state])).toEqual([['a', 'lost']])
    expect(await loseWorkers(db)).toEqual([])
    expect(await beatWorker(db, start, BEAT)).toBeNull()
    expect(await inOne(db, (trx) => countCommit(trx, start, 2))).toBe('lost')
    // What was committed before stays known: only its reply may have been lost.
    expect(await inOne(db, (trx) => countCommit(trx, start, 1))).toBe('committed')
    expect(await storedTask(db, 't1')).toMatchObject({ worker_id: 'a', lease_boot: null })
  })

  it('that starts again begins at one, owns nothing yet, and its earlier start can do nothing', async () => {
    const db = await opened()
    const first = await started(db, 'a', 'a1')
    await inOne(db, (trx) => countCommit(trx, first, 1))
    await inOne(db, (trx) => claimTasks(trx, ['t1', 't2'], first))
    const second = await started(db, 'a', 'a2')
    expect(await storedTask(db, 't1')).toMatchObject({ worker_id: 'a', lease_boot: null })
    expect(await inOne(db, (trx) => countCommit(trx, first, 2))).toBe('lost')
    expect(await inOne(db, (trx) => countCommit(trx, first, 1))).toBe('lost')
    expect(await beatWorker(db, first, BEAT)).toBeNull()
    await stopWorker(db, first)
    expect(await inOne(db, (trx) => countCommit(trx, second, 1))).toBe('open')
  })

  it('that stops gives up its tasks and is not declared lost afterwards', async () => {
    const db = await opened()
    const start = await started(db, 'a', 'a1')
    await inOne(db, (trx) => claimTasks(trx, ['t1'], start))
    await stopWorker(db, start)
    await expire(db, 'a')
    expect(await loseWorkers(db)).toEqual([])
    expect(await storedTask(db, 't1')).toMatchObject({ worker_id: 'a', lease_boot: null })
    expect(await setDraining(db, 'a', true)).toBeUndefined()
    expect(await inOne(db, (trx) => countCommit(trx, start, 1))).toBe('lost')
  })

  it('that drains still writes and beats', async () => {
    const db = await opened()
    const start = await started(db, 'a', 'a1')
    expect(await setDraining(db, 'a', true)).toMatchObject({ state: 'draining' })
    expect(await beatWorker(db, start, BEAT)).toMatchObject({ state: 'draining' })
    expect(await inOne(db, (trx) => countCommit(trx, start, 1))).toBe('open')
    expect(await setDraining(db, 'a', false)).toMatchObject({ state: 'up' })
  })

  it('is listed with the tasks that have not ended, those that run first', async () => {
    const db = await opened()
    const start = await started(db, 'a', 'a1')
    await started(db, 'b', 'b1')
    await inOne(db, (trx) => claimTasks(trx, ['t1', 't2'], start))
    await db.updateTable('tasks').set({ ended_at: 1 }).where('id', '=', 't2').execute()
    await expire(db, 'a')
    await loseWorkers(db)
    const listed = await listWorkers(db)
    expect(listed.map(({ id, state, task_count }) => [id, state, task_count])).toEqual([
      ['b', 'up', 0],
      ['a', 'lost', 1],
    ])
  })
})

const [, POSTGRES] = STORES

describe('a worker in the middle of a transaction, on PostgreSQL', () => {
  async function opened() {
    const { db } = await (await POSTGRES.make()).open()
    return { db, start: await started(db, 'a', 'a1') }
  }

  it('is not declared lost, however late it is', async () => {
    const { db, start } = await opened()
    await expire(db, 'a')
    await inOne(db, async (trx) => {
      expect(await countCommit(trx, start, 1)).toBe('open')
      expect(await loseWorkers(db)).toEqual([])
    })
    expect(await loseWorkers(db)).toHaveLength(1)
  })

  it('is waited for by its own next attempt, which then finds the number taken', async () => {
    const { db, start } = await opened()
    const order: string[] = []
    let again = Promise.resolve('')
    await inOne(db, async (trx) => {
      await countCommit(trx, start, 1)
      again = inOne(db, (second) => countCommit(second, start, 1)).then((found) => {
        order.push('second')
        return found
      })
      await waitsForLock(db)
      order.push('first')
    })
    expect([await again, order]).toEqual(['committed', ['first', 'second']])
  })

  it('is waited for by the next start', async () => {
    const { db, start } = await opened()
    await db
      .insertInto('tasks')
      .values(taskRow('t1', { status: 'queued' }))
      .execute()
    let next: Promise<unknown> = Promise.resolve()
    await inOne(db, async (trx) => {
      await countCommit(trx, start, 1)
      next = started(db, 'a', 'a2')
      await waitsForLock(db)
      await claimTasks(trx, ['t1'], start)
    })
    await next
    expect(await storedTask(db, 't1')).toMatchObject({ worker_id: 'a', lease_boot: null })
  })
})

async function waitsForLock(db: Parameters<typeof listWorkers>[0]): Promise<void> {
  await expect
    .poll(
      async () =>
        (
          await sql<{ count: number }>`select count(*) as count from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database()`.execute(db)
        ).rows[0]!.count,
    )
    .toBeGreaterThan(0)
}
