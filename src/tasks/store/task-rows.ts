import type {
  Expression,
  ExpressionBuilder,
  Insertable,
  Kysely,
  Selectable,
  SqlBool,
  Updateable,
} from 'kysely'
import { sql } from 'kysely'
import { type Failure, redactJsonLine } from '../../codex/index.ts'
import { showTargetText } from '../notifications/index.ts'
import type { Page, Task, TaskFilter, TaskQuery, TaskStatus } from '../task.ts'
import { pageLimit, pageOf, readCursor } from './cursor.ts'
import { toResult } from './result-columns.ts'
import type { Database, TaskRow } from './schema.ts'

type Db = Kysely<Database>
export type StoredTask = Selectable<TaskRow>

/** All that is shown of a task but its answer, which may be long. */
const SHOWN = [
  ...(['id', 'title', 'status', 'waiting_for', 'reason', 'evidence', 'prompt', 'cwd'] as const),
  ...(['codex_path', 'codex_home', 'policy', 'effective_policy', 'preset', 'rules', 'notify'] as const),
  ...(['keep_open', 'timeout_ms', 'approval_timeout_ms', 'output_schema'] as const),
  ...(['thread_id', 'turn_id', 'turn_count', 'forked_from', 'limited_until'] as const),
  ...(['failure', 'usage', 'last_seq'] as const),
  ...(['created_at', 'updated_at', 'started_at', 'ended_at', 'archived_at'] as const),
] as const

/** A task row with what is counted from other tables. */
interface CountedRow extends Pick<StoredTask, (typeof SHOWN)[number] | 'result'> {
  queue_position: number | null
  open_approvals: number | null
  queued_messages: number | null
}

export async function insertTask(db: Db, row: Insertable<TaskRow>, labels: readonly string[]): Promise<void> {
  await db.insertInto('tasks').values(row).execute()
  await setLabels(db, row.id, labels)
}

export async function updateTask(db: Db, id: string, change: Updateable<TaskRow>): Promise<void> {
  await db.updateTable('tasks').set(change).where('id', '=', id).execute()
}

export async function setLabels(db: Db, taskId: string, labels: readonly string[]): Promise<void> {
  await db.deleteFrom('task_labels').where('task_id', '=', taskId).execute()
  const rows = [...new Set(labels)].map((label) => ({ task_id: taskId, label }))
  if (rows.length > 0) await db.insertInto('task_labels').values(rows).execute()
}

export async function labelsOf(db: Db, taskId: string): Promise<string[]> {
  const rows = await db.selectFrom('task_labels').select('label').where('task_id', '=', taskId).execute()
  return rows.map(({ label }) => label)
}

export async function deleteTask(db: Db, id: string): Promise<void> {
  await db.deleteFrom('events').where('task_id', '=', id).execute()
  await db.deleteFrom('tasks').where('id', '=', id).execute()
}

export function taskRow(db: Db, id: string): Promise<StoredTask | undefined> {
  return db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst()
}

export function taskRowByKey(db: Db, idempotencyKey: string): Promise<StoredTask | undefined> {
  return db.selectFrom('tasks').selectAll().where('idempotency_key', '=', idempotencyKey).executeTakeFirst()
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
    .orderBy('queued_at')
    .orderBy('created_at')
    .execute()
}

export async function findTask(db: Db, id: string): Promise<Task | null> {
  const row = await counted(db).select('tasks.result').where('tasks.id', '=', id).executeTakeFirst()
  return row ? (await withLabels(db, [row]))[0]! : null
}

/** Long answers are cut. */
export async function listTasks(db: Db, query: TaskQuery): Promise<Page<Task>> {
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
  return { items: await withLabels(db, page.items), cursor: page.cursor }
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
  const { status, cwd, archived, labels = [], search } = query
  return [
    ...(status?.length ? [eb('status', 'in', status)] : []),
    ...(cwd === undefined ? [] : [eb('cwd', '=', cwd)]),
    ...(archived ? [] : [eb('archived_at', 'is', null)]),
    ...(archived === 'only' ? [eb('archived_at', 'is not', null)] : []),
    ...labels.map((label) =>
      eb('tasks.id', 'in', eb.selectFrom('task_labels').select('task_id').where('label', '=', label)),
    ),
    ...(search?.trim() ? [matches(search.trim())] : []),
  ]
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
      queuePosition().as('queue_position'),
    ])
}

/** First come, first served: from 1, of those that wait. */
function queuePosition() {
  return sql<number | null>`case when tasks.status = 'queued' then (
    select count(*) from tasks as other where other.status = 'queued'
      and (other.queued_at < tasks.queued_at or (other.queued_at = tasks.queued_at and other.id <= tasks.id))
  ) end`
}

async function withLabels(db: Db, rows: readonly CountedRow[]): Promise<Task[]> {
  if (rows.length === 0) return []
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
  const labels = Map.groupBy(found, ({ task_id }) => task_id)
  return rows.map((row) => toTask(row, labels.get(row.id)?.map(({ label }) => label) ?? []))
}

function toTask(row: CountedRow, labels: readonly string[]): Task {
  return {
    id: row.id,
    title: row.title,
    status: row.status as TaskStatus,
    waitingFor: row.waiting_for as Task['waitingFor'],
    reason: row.reason,
    evidence: JSON.parse(row.evidence),
    prompt: row.prompt,
    cwd: row.cwd,
    codexPath: row.codex_path,
    codexHome: row.codex_home,
    // Stored as given, since codex is sent them again with every turn.
    policy: shown<Task['policy']>(row.policy)!,
    effectivePolicy: shown(row.effective_policy),
    preset: row.preset as Task['preset'],
    rules: JSON.parse(row.rules),
    labels,
    notify: (JSON.parse(row.notify) as string[]).map(showTargetText),
    keepOpen: row.keep_open === 1,
    timeoutMs: row.timeout_ms,
    approvalTimeoutMs: row.approval_timeout_ms,
    outputSchema: shown(row.output_schema),
    threadId: row.thread_id,
    turnId: row.turn_id,
    turnCount: row.turn_count,
    forkedFrom: row.forked_from,
    limitedUntil: row.limited_until,
    result: toResult(row.result),
    failure: toFailure(row.failure),
    usage: parsed(row.usage),
    openApprovals: Number(row.open_approvals),
    queuedMessages: Number(row.queued_messages),
    queuePosition: row.queue_position === null ? null : Number(row.queue_position),
    lastSeq: row.last_seq,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    archivedAt: row.archived_at,
  }
}

function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T)
}

/** Without the secrets in it. */
function shown<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(redactJsonLine(json)) as T)
}

function toFailure(json: string | null): Failure | null {
  const failure = parsed<Failure & { resetAt: string | null }>(json)
  return failure && { ...failure, resetAt: failure.resetAt === null ? null : new Date(failure.resetAt) }
}
