// Retention beside other transactions on PostgreSQL, which has many writers at a time.
import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { STORES } from '../../../test/support/stores.ts'
import { addEndedTask } from '../fixtures/ended-task.ts'
import { countOf, messageRow } from '../fixtures/sample-rows.ts'
import type { Database } from '../schema.ts'
import { prune, type Retention } from '../upkeep/retention.ts'

const NOW = 1_000_000_000
const [, POSTGRES] = STORES
const KEEP_ALL: Retention = { taskMaxAgeMs: null, eventMaxAgeMs: null, maxBytes: null }

/** Starts to prune while this is done to the task, but not committed; commits when the run waits for it. */
async function pruneBeside(retention: Retention, change: (trx: Kysely<Database>) => Promise<unknown>) {
  const { db } = await (await POSTGRES.make()).open()
  await addEndedTask(db, 'a', {})
  const pruning = await db.transaction().execute(async (trx) => {
    await change(trx)
    const running = prune(db, { now: NOW, retention })
    await expect.poll(() => waitingForLocks(db)).toBe(1)
    return { running }
  })
  return { db, pruned: await pruning.running }
}

async function waitingForLocks(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows[0]!.count
}

it('leaves the events of a task that goes on in the meantime', async () => {
  const { db, pruned } = await pruneBeside({ ...KEEP_ALL, eventMaxAgeMs: 0 }, (trx) =>
    trx.updateTable('tasks').set({ status: 'working', ended_at: null }).execute(),
  )
  expect(pruned).toMatchObject({ events: 0, trimmed: [] })
  expect(await countOf(db, 'events')).toBe(10)
})

it('leaves a task that gets a message in the meantime, and the message', async () => {
  const { db, pruned } = await pruneBeside({ ...KEEP_ALL, taskMaxAgeMs: 0 }, (trx) =>
    trx
      .insertInto('messages')
      .values(messageRow('new', 'a', { status: 'queued' }))
      .execute(),
  )
  expect(pruned.tasks).toEqual([])
  expect([await countOf(db, 'tasks'), await countOf(db, 'messages')]).toEqual([1, 2])
})
