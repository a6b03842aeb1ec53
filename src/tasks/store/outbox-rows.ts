import type { Insertable, Kysely, Selectable } from 'kysely'
import {
  type NewNotice,
  type Notice,
  type NoticeQuery,
  type Outbox,
  type OutgoingNotice,
  showTargetText,
} from '../notifications/index.ts'
import type { Page } from '../task.ts'
import { pageLimit, pageOf, readCursor } from './cursor.ts'
import type { Database, OutboxRow } from './schema.ts'

type Db = Kysely<Database>
type Row = Selectable<OutboxRow>

/** To be called in the transaction that stores what the notices tell of. Wake the worker once it is committed. */
export async function putNotices(trx: Db, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length === 0) return
  await trx.insertInto('outbox').values(notices.map(toRow)).execute()
}

/** `at` makes it due at once. */
function toRow(notice: NewNotice): Insertable<OutboxRow> {
  return {
    id: notice.id,
    task_id: notice.taskId,
    cause: notice.cause,
    target: notice.target,
    status: notice.status,
    title: notice.title,
    text: notice.text,
    payload: notice.payload,
    attempts: notice.attempts,
    next_attempt_at: notice.status === 'pending' ? notice.createdAt : null,
    last_error: null,
    created_at: notice.createdAt,
    sent_at: null,
  }
}

/** What the worker takes from. */
export function storedOutbox(db: Db): Outbox {
  return {
    async due(now, { limit, exceptTargets }) {
      const rows = await pendingTo(db, exceptTargets)
        .selectAll()
        .where('next_attempt_at', '<=', now)
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toOutgoing)
    },
    async nextDueAt({ exceptTargets }) {
      const first = await pendingTo(db, exceptTargets)
        .select((eb) => eb.fn.min('next_attempt_at').as('at'))
        .executeTakeFirst()
      return first?.at == null ? null : Number(first.at)
    },
    sent: (id, at) =>
      settle(db, id, { status: 'sent', sent_at: at, next_attempt_at: null, last_error: null }),
    failed: (id, { error, nextAttemptAt }) =>
      settle(db, id, { status: 'pending', next_attempt_at: nextAttemptAt, last_error: error }),
    dead: (id, error) => settle(db, id, { status: 'dead', next_attempt_at: null, last_error: error }),
  }
}

function pendingTo(db: Db, exceptTargets: readonly string[]) {
  const pending = db.selectFrom('outbox').where('status', '=', 'pending')
  return exceptTargets.length > 0 ? pending.where('target', 'not in', exceptTargets) : pending
}

async function settle(db: Db, id: string, change: Partial<Row>): Promise<void> {
  await db
    .updateTable('outbox')
    .set((eb) => ({ ...change, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute()
}

/** A dead or waiting one is due again now, with all its attempts before it. Of others nothing is changed. */
export async function retryNotice(
  db: Db,
  id: string,
  at: number,
): Promise<{ readonly wasRetried: boolean; readonly notice: Notice | null }> {
  const row = await db
    .updateTable('outbox')
    .set({ status: 'pending', attempts: 0, next_attempt_at: at })
    .where('id', '=', id)
    .where('status', 'in', ['dead', 'pending'])
    .returningAll()
    .executeTakeFirst()
  return row
    ? { wasRetried: true, notice: toNotice(row) }
    : { wasRetried: false, notice: await findNotice(db, id) }
}

export async function findNotice(db: Db, id: string): Promise<Notice | null> {
  const row = await rowOf(db, id)
  return row ? toNotice(row) : null
}

/** With its secrets, to send it or to show what would be sent. */
export async function findOutgoing(db: Db, id: string): Promise<OutgoingNotice | null> {
  const row = await rowOf(db, id)
  return row ? toOutgoing(row) : null
}

/** Newest first. */
export async function listNotices(db: Db, query: NoticeQuery): Promise<Page<Notice>> {
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
  const { items, cursor } = pageOf(found, limit, ({ created_at, id }) => ({ at: created_at, id }))
  return { items: items.map(toNotice), cursor }
}

export async function countNotices(db: Db): Promise<Readonly<Record<Notice['status'], number>>> {
  const rows = await db
    .selectFrom('outbox')
    .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
  const counted = Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
  return { pending: 0, sent: 0, dead: 0, no_target: 0, ...counted }
}

function rowOf(db: Db, id: string): Promise<Row | undefined> {
  return db.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst()
}

function toNotice(row: Row): Notice {
  return {
    id: row.id,
    taskId: row.task_id,
    cause: row.cause as Notice['cause'],
    target: row.target === '' ? '' : showTargetText(row.target),
    status: row.status as Notice['status'],
    title: row.title,
    text: row.text,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    lastError: row.last_error,
    createdAt: row.created_at,
    sentAt: row.sent_at,
  }
}

function toOutgoing(row: Row): OutgoingNotice {
  return {
    id: row.id,
    taskId: row.task_id,
    cause: row.cause as Notice['cause'],
    target: row.target,
    title: row.title,
    text: row.text,
    payload: row.payload,
    attempts: row.attempts,
    createdAt: row.created_at,
  }
}
