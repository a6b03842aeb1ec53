import { expressionBuilder, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db } from '../db.ts'
import { databaseTime, isPostgres } from '../dialect.ts'
import type { Database, OutboxRow } from '../schema.ts'
import { type Page, pageLimit, pageOf, readCursor } from './page.ts'

export type StoredNotice = Selectable<OutboxRow>

export async function insertNotices(db: Db, rows: readonly Insertable<OutboxRow>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('outbox').values(rows).execute()
}

/** Which notices are looked for. */
export interface NoticeFilter {
  readonly exceptTargets: readonly string[]
  /** What this worker can send, on a store that several use; without it: everything, claims are not looked at. */
  readonly reach?: NoticeReach | undefined
}

export interface NoticeReach {
  /** Names from its settings. Targets that are no names have a colon. */
  readonly names: readonly string[]
  /** What those targets begin with that it has no settings for, before the colon. */
  readonly exceptKinds: readonly string[]
  /** What was created before this is taken whatever its target is: no other worker wanted it. */
  readonly everythingBefore: number
}

/** Pending ones whose time has come, the longest waiting first. */
export function dueNotices(
  db: Db,
  now: number,
  { limit, ...filter }: NoticeFilter & { limit: number },
): Promise<StoredNotice[]> {
  let due = pendingOf(db, filter).selectAll().where('next_attempt_at', '<=', now)
  if (filter.reach) due = due.where(isUnclaimed(db))
  return due.orderBy('next_attempt_at').orderBy('id').limit(limit).execute()
}

/** When the next one is due or its claim runs out; null when nothing waits. */
export async function nextNoticeDueAt(db: Db, filter: NoticeFilter): Promise<number | null> {
  const at = filter.reach
    ? sql<number>`min(case when claimed_until > next_attempt_at then claimed_until else next_attempt_at end)`
    : sql<number>`min(next_attempt_at)`
  const first = await pendingOf(db, filter).select(at.as('at')).executeTakeFirst()
  return first?.at == null ? null : Number(first.at)
}

function pendingOf(db: Db, { exceptTargets, reach }: NoticeFilter) {
  let pending = db.selectFrom('outbox').where('status', '=', 'pending')
  if (exceptTargets.length > 0) pending = pending.where('target', 'not in', exceptTargets)
  if (!reach) return pending
  const { names, exceptKinds, everythingBefore } = reach
  return pending.where(({ and, or, eb, fn }) => {
    const isKnown = or([eb('target', 'like', '%:%'), eb('target', 'in', ['local', ...names])])
    const others = exceptKinds.map((kind) => eb(fn<string>('lower', ['target']), 'not like', `${kind}:%`))
    return or([eb('created_at', '<', everythingBefore), and([isKnown, ...others])])
  })
}

function isUnclaimed(db: Db) {
  const { or, eb } = expressionBuilder<Database, 'outbox'>()
  return or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', databaseTime(db))])
}

/** Claims those of them that are still due and that no other worker has or is just claiming. */
export function claimNotices(
  db: Db,
  ids: readonly string[],
  { now, by, claimMs }: { now: number; by: string; claimMs: number },
): Promise<StoredNotice[]> {
  let free = db
    .selectFrom('outbox')
    .select('id')
    .where('id', 'in', ids)
    .where('status', '=', 'pending')
    .where('next_attempt_at', '<=', now)
    .where(isUnclaimed(db))
  if (isPostgres(db)) free = free.forUpdate().skipLocked()
  const claimed_until = sql<number>`${databaseTime(db)} + ${claimMs}`
  return db
    .updateTable('outbox')
    .set({ claimed_by: by, claimed_until })
    .where('id', 'in', free)
    .returningAll()
    .execute()
}

/** Any worker may take them at once. Nothing happens to those that another one has claimed since. */
export async function releaseNotices(db: Db, ids: readonly string[], by: string): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ claimed_by: null, claimed_until: null })
    .where('id', 'in', ids)
    .where('claimed_by', '=', by)
    .execute()
}

/** What became of an attempt, which is counted. Nothing happens to one that is not pending, or is claimed by another. */
export async function settleNotice(
  db: Db,
  id: string,
  change: Updateable<OutboxRow>,
  { claimedBy }: { claimedBy?: string } = {},
): Promise<void> {
  const settled = db
    .updateTable('outbox')
    .set((eb) => ({ ...change, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('status', '=', 'pending')
  await (claimedBy === undefined ? settled : settled.where('claimed_by', '=', claimedBy)).execute()
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
