import type { Expression, ExpressionBuilder, Insertable, Selectable, SqlBool, Updateable } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { isPostgres, locked } from '../dialect.ts'
import type { Database, TaskRow } from '../schema.ts'
import { ownTasks, tasksBelow } from './own-tasks.ts'
import { type Page, pageLimit, pageOf, readCursor } from './page.ts'
import type { TaskFilter, TaskQuery } from './task-query.ts'

export type StoredTask = Selectable<TaskRow>
export type TaskInsert = Insertable<TaskRow>
export type TaskUpdate = Updateable<TaskRow>

/** All that is shown of a task but its answer, which may be long. */
const SHOWN = [
  ...(['id', 'title', 'status', 'waiting_for', 'reason', 'evidence', 'prompt', 'cwd'] as const),
  ...(['codex_path', 'codex_home', 'policy', 'effective_policy', 'preset', 'rules', 'notify'] as const),
  ...(['keep_open', 'timeout_ms', 'approval_timeout_ms', 'output_schema'] as const),
  ...(['thread_id', 'turn_id', 'turn_count', 'forked_from', 'limited_until'] as const),
  ...(['failure', 'usage', 'last_seq'] as const),
  ...(['created_at', 'updated_at', 'started_at', 'ended_at', 'archived_at'] as const),
  ...(['worker_id', 'wants', 'on_lost', 'tools', 'account', 'account_id', 'on_limit', 'host'] as const),
  ...(['workspace', 'progress', 'attention', 'links'] as const),
  ...(['workspace', 'snapshots', 'restored_from'] as const),
  ...(['created_by', 'created_by_name', 'parent', 'depth'] as const),
] as const

/** What is shown of a task: its row, what is counted from other tables, its labels. */
export interface ShownTask extends CountedRow {
  /** From 1; null when it does not wait. */
  readonly queue_position: number | null
  readonly labels: readonly string[]
}

interface CountedRow extends Pick<StoredTask, (typeof SHOWN)[number] | 'result'> {
  open_approvals: number | null
  queued_messages: number | null
  open_deliverables: number | null
  worker_name: string | null
}

export async function insertTask(db: Db, row: TaskInsert, labels: readonly string[]): Promise<void> {
  await db.insertInto('tasks').values(row).execute()
  await setLabels(db, row.id, labels)
}

export async function updateTask(db: Db, id: string, change: TaskUpdate): Promise<void> {
  await db.updateTable('tasks').set(change).where('id', '=', id).execute()
}

export async function setLabels(db: Db, taskId: string, labels: readonly string[]): Promise<void> {
  await db.deleteFrom('task_labels').where('task_id', '=', taskId).execute()
  const rows = [...new Set(labels)].map((label) => ({ task_id: taskId, label }))
  if (rows.length > 0) await db.insertInto('task_labels').values(rows).execute()
}

export async function labelsOf(db: Db, taskId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('task_labels')
    .select('label')
    .where('task_id', '=', taskId)
    .orderBy('label')
    .execute()
  return rows.map(({ label }) => label)
}

export async function deleteTask(db: Db, id: string): Promise<void> {
  await db.deleteFrom('events').where('task_id', '=', id).execute()
  if (isPostgres(db))
    for (const table of ['frames', 'deliverable_parts'] as const)
      await db.deleteFrom(table).where('task_id', '=', id).execute()
  await db.deleteFrom('tasks').where('id', '=', id).execute()
}

export function taskRow(db: Db, id: string): Promise<StoredTask | undefined> {
  return db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst()
}

/** In a transaction on a shared store: no other worker writes to the task until its end. */
export async function lockTask(db: Db, id: string): Promise<void> {
  await locked(db, db.selectFrom('tasks').select('id').where('id', '=', id)).execute()
}

/** The task whose thread it is, of all that are not forgotten. */
export function taskRowByThread(db: Db, threadId: string): Promise<StoredTask | undefined> {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('thread_id', '=', threadId)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
}

export function taskRowByKey(db: Db, idempotencyKey: string): Promise<StoredTask | undefined> {
  return db.selectFrom('tasks').selectAll().where('idempotency_key', '=', idempotencyKey).executeTakeFirst()
}

/** The tasks that these threads belong to. */
export function taskRowsByThread(db: Db, threadIds: readonly string[]): Promise<StoredTask[]> {
  if (threadIds.length === 0) return Promise.resolve([])
  return db.selectFrom('tasks').selectAll().where('thread_id', 'in', threadIds).execute()
}

/** Every target that a task names, once. */
export async function targetsInUse(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('tasks').select('notify').distinct().execute()
  return [...new Set(rows.flatMap(({ notify }) => JSON.parse(notify) as string[]))]
}

/** Oldest first by their place in the queue. */
export function taskRowsByStatus(db: Db, statuses: readonly string[]): Promise<StoredTask[]> {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('status', 'in', statuses)
    .orderBy('queued_at', (order) => order.asc().nullsFirst())
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function shownTask(db: Db, id: string): Promise<ShownTask | null> {
  const row = await counted(db).select('tasks.result').where('tasks.id', '=', id).executeTakeFirst()
  return row ? (await withOthers(db, [row]))[0]! : null
}

/** Long answers are cut. */
export async function shownTasks(db: Db, query: TaskQuery): Promise<Page<ShownTask>> {
  const limit = pageLimit(query.limit, { usual: 50, most: 200 })
  const after = readCursor(query.cursor)
  let rows = counted(db)
    .select(({ fn }) => fn.coalesce('tasks.result_short', 'tasks.result').as('result'))
    .orderBy('tasks.created_at', 'desc')
    .orderBy('tasks.id', 'desc')
    .limit(limit + 1)
  if (after)
    rows = rows.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('tasks.created_at', 'tasks.id'), '<', tuple(after.at, after.id)),
    )
  rows = rows.where(({ eb, and }) => and(wanted(eb, query)))
  const page = pageOf(await rows.execute(), limit, ({ created_at, id }) => ({ at: created_at, id }))
  return { items: await withOthers(db, page.items), cursor: page.cursor }
}

/** Of all that the filter lets through, however many there are. */
export async function countByStatus(db: Db, query: TaskFilter): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('tasks')
    .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
    .where(({ eb, and }) => and(wanted(eb, query)))
    .groupBy('status')
    .execute()
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
}

function wanted(eb: ExpressionBuilder<Database, 'tasks'>, query: TaskFilter): Expression<SqlBool>[] {
  const { status, waitingFor, cwd, archived, labels = [], search, parent, below, ownedBy } = query
  return [
    ...(status?.length ? [eb('status', 'in', status)] : []),
    ...(waitingFor === undefined ? [] : [waitsFor(eb, waitingFor)]),
    ...(cwd === undefined ? [] : [eb('cwd', '=', cwd)]),
    ...(parent === undefined ? [] : [eb('parent', '=', parent)]),
    ...(below === undefined ? [] : [eb('tasks.id', 'in', tasksBelow(below))]),
    ...(ownedBy === undefined ? [] : [eb('tasks.id', 'in', ownTasks(ownedBy))]),
    ...(archived ? [] : [eb('archived_at', 'is', null)]),
    ...(archived === 'only' ? [eb('archived_at', 'is not', null)] : []),
    ...labels.map((label) =>
      eb('tasks.id', 'in', eb.selectFrom('task_labels').select('task_id').where('label', '=', label)),
    ),
    ...(search?.trim() ? [matches(search.trim())] : []),
  ]
}

function waitsFor(eb: ExpressionBuilder<Database, 'tasks'>, what: 'worker' | 'person') {
  const isOther = eb('status', '!=', 'waiting')
  return what === 'worker'
    ? eb.or([isOther, eb('waiting_for', '=', 'worker')])
    : eb.or([isOther, eb('waiting_for', 'is', null), eb('waiting_for', '!=', 'worker')])
}

function matches(search: string) {
  const like = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`(lower(title) like ${like} escape '\\' or lower(prompt) like ${like} escape '\\' or lower(coalesce(result, '')) like ${like} escape '\\' or tasks.id = ${search})`
}

/** Task rows with what is counted from other tables. */
function counted(db: Db) {
  return db
    .selectFrom('tasks')
    .select(SHOWN.map((name) => `tasks.${name}` as const))
    .select((eb) => [
      eb
        .selectFrom('approvals')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('approvals.task_id', '=', 'tasks.id')
        .where('approvals.status', '=', 'pending')
        .$asScalar()
        .as('open_approvals'),
      eb
        .selectFrom('messages')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('messages.task_id', '=', 'tasks.id')
        .where('messages.status', 'in', ['queued', 'sending'])
        .$asScalar()
        .as('queued_messages'),
      eb
        .selectFrom('deliverables')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('deliverables.task_id', '=', 'tasks.id')
        .where('deliverables.status', '=', 'pending')
        .$asScalar()
        .as('open_deliverables'),
      eb
        .selectFrom('workers')
        .select('workers.name')
        .whereRef('workers.id', '=', 'tasks.worker_id')
        .$asScalar()
        .as('worker_name'),
    ])
}

async function withOthers(db: Db, rows: readonly CountedRow[]): Promise<ShownTask[]> {
  if (rows.length === 0) return []
  const queued = rows.filter(({ status }) => status === 'queued').map(({ id }) => id)
  const [labels, places] = await Promise.all([labelsOfAll(db, rows), placesInQueue(db, queued)])
  return rows.map((row) => ({
    ...row,
    queue_position: places.get(row.id) ?? null,
    labels: labels.get(row.id)?.map(({ label }) => label) ?? [],
  }))
}

/** First come, first served: from 1, of those that wait. Counted once for all of them. */
async function placesInQueue(db: Db, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; place: number }>`select id, place from (
      select id, row_number() over (order by queued_at, id) as place from tasks
      where status = 'queued' and queued_at is not null) as waiting
    where id in (${sql.join(ids)})`.execute(db)
  return new Map(rows.map(({ id, place }) => [id, Number(place)]))
}

async function labelsOfAll(db: Db, rows: readonly { readonly id: string }[]) {
  const found = await db
    .selectFrom('task_labels')
    .selectAll()
    .where(
      'task_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('label')
    .execute()
  return Map.groupBy(found, ({ task_id }) => task_id)
}
