import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db } from '../db.ts'
import { isPostgres } from '../dialect.ts'
import type { ApprovalRow, AuditRow, RuleRow } from '../schema.ts'
import { noteAsked, noteOutcome } from './approval-times.ts'
import { ownTasks } from './own-tasks.ts'
import { type Page, pageLimit, pageOf, readCursor } from './page.ts'

export type StoredApproval = Selectable<ApprovalRow>
export type StoredAudit = Selectable<AuditRow>
export type StoredRule = Selectable<RuleRow>

export async function insertApproval(db: Db, row: Insertable<ApprovalRow>): Promise<void> {
  await db.insertInto('approvals').values(row).execute()
  await noteAsked(db, row)
}

export function approvalRow(db: Db, id: string): Promise<StoredApproval | undefined> {
  return db.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The same question again: codex repeats what it still waits for whenever a thread is resumed. */
export function approvalByRequest(
  db: Db,
  appServerId: string,
  requestId: string,
): Promise<StoredApproval | undefined> {
  return db
    .selectFrom('approvals')
    .selectAll()
    .where('app_server_id', '=', appServerId)
    .where('request_id', '=', requestId)
    .executeTakeFirst()
}

/** First come, first served: nothing happens, and nothing is returned, unless it has this status now. */
export async function settleApproval(
  db: Db,
  id: string,
  { from, ...change }: Updateable<ApprovalRow> & { from: string },
): Promise<StoredApproval | undefined> {
  const row = await db
    .updateTable('approvals')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', from)
    .returningAll()
    .executeTakeFirst()
  if (row) await noteOutcome(db, row)
  return row
}

export function pendingApprovals(db: Db, taskId?: string): Promise<StoredApproval[]> {
  let rows = db.selectFrom('approvals').selectAll().where('status', '=', 'pending')
  if (taskId !== undefined) rows = rows.where('task_id', '=', taskId)
  return rows.orderBy('created_at').orderBy('id').execute()
}

/** Codex asked in a message and does not wait for the answer. */
export function isAsyncRow({ request_id }: Pick<StoredApproval, 'request_id'>): boolean {
  return request_id?.startsWith('"async:') ?? false
}

/** Those answered by this actor of which the audit does not know yet: of a task, or one. */
export function unauditedApprovals(
  db: Db,
  { taskId, approvalId, actor }: { taskId?: string; approvalId?: string; actor: string },
): Promise<StoredApproval[]> {
  let rows = db
    .selectFrom('approvals')
    .selectAll()
    .where('status', '=', 'answered')
    .where('actor', '=', actor)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('audit').select('audit.id').whereRef('audit.approval_id', '=', 'approvals.id'))),
    )
  if (taskId !== undefined) rows = rows.where('task_id', '=', taskId)
  if (approvalId !== undefined) rows = rows.where('id', '=', approvalId)
  return rows.orderBy('created_at').orderBy('id').execute()
}

/** The question of a turn that was answered with "end the turn". */
export async function cancelledIn(
  db: Db,
  taskId: string,
  turnId: string,
): Promise<{ title: string; actor: string | null } | null> {
  const rows = await db
    .selectFrom('approvals')
    .select(['title', 'actor', 'question'])
    .where('task_id', '=', taskId)
    .where('answer', '=', JSON.stringify('cancel'))
    .orderBy('settled_at', (order) => order.desc().nullsLast())
    .execute()
  const row = rows.find(({ question }) => (JSON.parse(question) as { turnId?: unknown }).turnId === turnId)
  return row ? { title: row.title, actor: row.actor } : null
}

/** Open ones oldest first, as people answer them; everything else newest first. */
export async function listApprovals(
  db: Db,
  query: { taskId?: string; ownedBy?: string; status?: string; limit?: number; cursor?: string },
): Promise<Page<StoredApproval>> {
  const limit = pageLimit(query.limit, { usual: 100, most: 500 })
  const after = readCursor(query.cursor)
  const isOpen = query.status === 'pending'
  const direction = isOpen ? 'asc' : 'desc'
  let rows = db
    .selectFrom('approvals')
    .selectAll()
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(limit + 1)
  if (query.taskId !== undefined) rows = rows.where('task_id', '=', query.taskId)
  if (query.ownedBy !== undefined) rows = rows.where('task_id', 'in', ownTasks(query.ownedBy))
  if (query.status !== undefined) rows = rows.where('status', '=', query.status)
  if (after)
    rows = rows.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), isOpen ? '>' : '<', tuple(after.at, after.id)),
    )
  return pageOf(await rows.execute(), limit, ({ created_at, id }) => ({ at: created_at, id }))
}

export async function openApprovals(
  db: Db,
  { ownedBy }: { ownedBy?: string | undefined } = {},
): Promise<{ count: number; oldestAt: number | null }> {
  let rows = db
    .selectFrom('approvals')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('created_at').as('oldest')])
    .where('status', '=', 'pending')
  if (ownedBy !== undefined) rows = rows.where('task_id', 'in', ownTasks(ownedBy))
  const row = await rows.executeTakeFirstOrThrow()
  return { count: Number(row.count), oldestAt: row.oldest === null ? null : Number(row.oldest) }
}

/** The audit is only ever added to. */
export async function insertAudit(db: Db, row: Insertable<AuditRow>): Promise<void> {
  await db.insertInto('audit').values(row).execute()
}

export async function listAudit(
  db: Db,
  query: { taskId?: string; limit?: number; cursor?: string },
): Promise<Page<StoredAudit>> {
  const limit = pageLimit(query.limit, { usual: 100, most: 500 })
  const after = readCursor(query.cursor)
  let rows = db
    .selectFrom('audit')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit + 1)
  if (query.taskId !== undefined) rows = rows.where('task_id', '=', query.taskId)
  if (after) rows = rows.where('id', '<', Number(after.id))
  return pageOf(await rows.execute(), limit, ({ at, id }) => ({ at, id: String(id) }))
}

export async function insertRule(db: Db, row: Insertable<RuleRow>): Promise<void> {
  await db.insertInto('rules').values(row).execute()
}

/** Nothing is returned when it is not there or was revoked before. */
export function revokeRule(
  db: Db,
  id: string,
  change: { revoked_at: number; revoked_by: string },
): Promise<StoredRule | undefined> {
  return db
    .updateTable('rules')
    .set(change)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

export function listRules(db: Db, { revoked }: { revoked: boolean }): Promise<StoredRule[]> {
  let rows = db.selectFrom('rules').selectAll().orderBy('created_at').orderBy('id')
  if (!revoked) rows = rows.where('revoked_at', 'is', null)
  return rows.execute()
}

/** Any number that only the rules use. */
const RULES_LOCK = 7_241_001

/** In a transaction that decides by rules: none is added or revoked until it ends. One of SQLite's is alone anyway. */
export async function holdRules(db: Db): Promise<void> {
  if (isPostgres(db)) await sql`select pg_advisory_xact_lock_shared(${RULES_LOCK})`.execute(db)
}

/** In a transaction that adds or revokes: waits for those that decide, and those that come later see it. */
export async function changeRules(db: Db): Promise<void> {
  if (isPostgres(db)) await sql`select pg_advisory_xact_lock(${RULES_LOCK})`.execute(db)
}

/** Pending ones whose time is over and whose task no running worker owns: nobody keeps their deadline. */
export function overdueApprovals(
  db: Db,
  { now }: { now: number },
): Promise<Pick<StoredApproval, 'id' | 'task_id'>[]> {
  return db
    .selectFrom('approvals')
    .innerJoin('tasks', 'tasks.id', 'approvals.task_id')
    .select(['approvals.id', 'approvals.task_id'])
    .where('approvals.status', '=', 'pending')
    .where('approvals.deadline_at', '<', now)
    .where('tasks.lease_boot', 'is', null)
    .orderBy('approvals.id')
    .limit(50)
    .execute()
}
