// Takes rows out in small transactions, so that whoever writes hardly waits.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { isPostgres, locked } from '../dialect.ts'
import { isRemovable } from './removable-tasks.ts'
import type { Removed } from './space.ts'

const ROWS_PER_STEP = 500
const BYTES_PER_STEP = 4 * 1024 * 1024

export interface RemovalOptions {
  readonly signal?: AbortSignal | undefined
}

export const NOTHING: Removed = { events: 0, frameBytes: 0 }

export function sum(one: Removed, other: Removed): Removed {
  return { events: one.events + other.events, frameBytes: one.frameBytes + other.frameBytes }
}

/**
 * The task first, with what is bound to it, in one step; then its events, which nobody can find any more. Returns how
 * many there were; null, and nothing is done, when the task must stay. Its audit and unsent notices stay.
 */
export async function removeTask(db: Db, taskId: string, options: RemovalOptions): Promise<Removed | null> {
  const isGone = await db.transaction().execute(async (trx) => {
    // First and by itself: a message or question that is being added holds the task, and is seen once it is in.
    await locked(trx, trx.selectFrom('tasks').select('tasks.id').where('tasks.id', '=', taskId)).execute()
    const { numDeletedRows } = await trx
      .deleteFrom('tasks')
      .where('tasks.id', '=', taskId)
      .where(isRemovable)
      .executeTakeFirst()
    if (numDeletedRows === 0n) return false
    await trx.deleteFrom('outbox').where('task_id', '=', taskId).where('status', '!=', 'pending').execute()
    if (isPostgres(trx)) await trx.deleteFrom('deliverable_parts').where('task_id', '=', taskId).execute()
    return true
  })
  return isGone ? removeEvents(db, taskId, options) : null
}

/** Of a task that stays. Stops where it is as soon as the task goes on. */
export function trimTask(db: Db, taskId: string, options: RemovalOptions): Promise<Removed> {
  const mayGo = async (trx: Db) => {
    const task = trx.selectFrom('tasks').select('tasks.id').where('tasks.id', '=', taskId)
    await locked(trx, task).execute()
    return (await task.where(isRemovable).executeTakeFirst()) !== undefined
  }
  return removeEvents(db, taskId, options, mayGo)
}

/** Left behind when a removal was cut short. */
export async function removeOrphanEvents(db: Db, options: RemovalOptions): Promise<Removed> {
  let removed = NOTHING
  for (let page = await tasksWithEvents(db, ''); page.length > 0; ) {
    for (const { id, isThere } of page)
      if (!isThere) removed = sum(removed, await removeOrphans(db, id, options))
    await nextTurn()
    options.signal?.throwIfAborted()
    page = await tasksWithEvents(db, page.at(-1)!.id)
  }
  return removed
}

function removeOrphans(db: Db, taskId: string, options: RemovalOptions): Promise<Removed> {
  const isGone = async (trx: Db) =>
    !(await trx.selectFrom('tasks').select('id').where('id', '=', taskId).executeTakeFirst())
  return removeEvents(db, taskId, options, isGone)
}

const TASKS_PER_PAGE = 1_000

/** In the order of their ids. One lookup in the key for each, however many events there are. */
async function tasksWithEvents(db: Db, after: string): Promise<{ id: string; isThere: number | boolean }[]> {
  const { rows } = await sql<{ id: string; isThere: number | boolean }>`
    with recursive owners(id) as (
      select min(task_id) from events where task_id > ${after}
      union all
      select (select min(task_id) from events where task_id > owners.id) from owners where id is not null
    )
    select id, exists (select 1 from tasks where tasks.id = owners.id) as "isThere"
    from owners where id is not null limit ${TASKS_PER_PAGE}`.execute(db)
  return rows
}

async function removeEvents(
  db: Db,
  taskId: string,
  { signal }: RemovalOptions,
  mayGo: (trx: Db) => Promise<boolean> = async () => true,
): Promise<Removed> {
  for (let removed = NOTHING; ; ) {
    signal?.throwIfAborted()
    const step = await db.transaction().execute(async (trx) => {
      const end = (await mayGo(trx)) ? await endOfStep(trx, taskId) : null
      if (end === null) return NOTHING
      const { numDeletedRows } = await trx
        .deleteFrom('events')
        .where('task_id', '=', taskId)
        .where('seq', '<=', end.seq)
        .executeTakeFirst()
      if (isPostgres(trx))
        await trx.deleteFrom('frames').where('task_id', '=', taskId).where('seq', '<=', end.seq).execute()
      return { events: Number(numDeletedRows), frameBytes: end.bytes }
    })
    if (step.events === 0) return removed
    removed = sum(removed, step)
    await nextTurn()
  }
}

/** The sequence up to which one step goes: so many rows or bytes, at least one; null when there is no event. */
async function endOfStep(trx: Db, taskId: string): Promise<{ seq: number; bytes: number } | null> {
  const rows = await trx
    .selectFrom('events')
    .select(['seq', sql<number>`octet_length(frame)`.as('bytes')])
    .where('task_id', '=', taskId)
    .orderBy('seq')
    .limit(ROWS_PER_STEP)
    .execute()
  let bytes = 0
  const end = rows.find((row) => {
    bytes += Number(row.bytes)
    return bytes >= BYTES_PER_STEP
  })
  const last = end ?? rows.at(-1)
  return last ? { seq: Number(last.seq), bytes } : null
}

/** Pieces of what never became a deliverable, and of tasks that are gone. */
export async function removeOrphanParts(db: Db, before: number): Promise<void> {
  if (!isPostgres(db)) return
  await db
    .deleteFrom('deliverable_parts')
    .where('created_at', '<', before)
    .where(
      sql<boolean>`not exists (select 1 from deliverables where deliverables.id = deliverable_parts.deliverable_id)`,
    )
    .execute()
}
