import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '../db.ts'
import type { OutboxRow } from '../schema.ts'
import { type Page, pageLimit, pageOf, readCursor } from './page.ts'

export type StoredNotice = Selectable<OutboxRow>

export async function insertNotices(db: Db, rows: readonly Insertable<OutboxRow>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('outbox').values(rows).execute()
}

/** Pending ones whose time has come, the longest waiting first, without those to these targets. */
export function dueNotices(
  db: Db,
  now: number,
  { limit, exceptTargets }: { limit: number; exceptTargets: readonly string[] },
): Promise<StoredNotice[]> {
  return pendingTo(db, exceptTargets)
    .selectAll()
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** When the next one is due, of those not to these targets; null when nothing waits. */
export async function nextNoticeDueAt(db: Db, exceptTargets: readonly string[]): Promise<number | null> {
  const first = await pendingTo(db, exceptTargets)
    .select((eb) => eb.fn.min('next_attempt_at').as('at'))
    .executeTakeFirst()
  return first?.at == null ? null : Number(first.at)
}

function pendingTo(db: Db, exceptTargets: readonly string[]) {
  const pending = db.selectFrom('outbox').where('status', '=', 'pending')
  return exceptTargets.length > 0 ? pending.where('target', 'not in', exceptTargets) : pending
}

/** What became of an attempt, which is counted. Nothing happens to one that is not pending. */
export async function settleNotice(db: Db, id: string, change: Updateable<OutboxRow>): Promise<void> {
  await db
    .updateTable('outbox')
    .set((eb) => ({ ...change, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute()
}

/** A dead or waiting one is due again now, with all its attempts before it. Of others nothing is changed. */
export async function retryNotice(db: Db, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({ status: 'pending', attempts: 0, next_attempt_at: at })
    .where('id', '=', id)
    .where('status', 'in', ['dead', 'pending'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export function noticeRow(db: Db, id: string): Promise<StoredNotice | undefined> {
  return db.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Newest first. */
export async function listNotices(
  db: Db,
  query: {
    status?: string | undefined
    taskId?: string | undefined
    limit?: number | undefined
    cursor?: string | undefined
  },
): Promise<Page<StoredNotice>> {
  const limit = pageLimit(query.limit, { usual: 50, most: 200 })
  const after = readCursor(query.cursor)
  let rows = db.selectFrom('outbox').selectAll()
  if (query.status !== undefined) rows = rows.where('status', '=', query.status)
  if (query.taskId !== undefined) rows = rows.where('task_id', '=', query.taskId)
  if (after) {
    rows = rows.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '<', tuple(after.at, after.id)),
    )
  }
  const found = await rows
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return pageOf(found, limit, ({ created_at, id }) => ({ at: created_at, id }))
}

/** Only statuses that some notice has. */
export async function countNotices(db: Db): Promise<Readonly<Record<string, number>>> {
  const rows = await db
    .selectFrom('outbox')
    .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
}
