// Which tasks retention may touch.
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'
import { hasEnded, TASK_STATUSES } from '../task-statuses.ts'

/** `limited` goes on by itself. `idle` waits for its owner: only once archived. */
const ENDED = TASK_STATUSES.filter((status) => hasEnded(status) && status !== 'limited' && status !== 'idle')

export interface RemovableQuery {
  /** Ended before this. */
  readonly before?: number | undefined
  readonly hasEvents?: boolean | undefined
  readonly limit: number
}

/** Those that ended longest ago first. */
export async function removableTasks(
  db: Kysely<Database>,
  { before, hasEvents, limit }: RemovableQuery,
): Promise<string[]> {
  const endedAt = sql<number>`coalesce(tasks.ended_at, tasks.updated_at)`
  let tasks = db.selectFrom('tasks').select('tasks.id').where(isRemovable)
  if (before !== undefined) tasks = tasks.where(endedAt, '<', before)
  if (hasEvents)
    tasks = tasks.where(({ exists, selectFrom }) =>
      exists(selectFrom('events').select('events.seq').whereRef('events.task_id', '=', 'tasks.id')),
    )
  const rows = await tasks.orderBy(endedAt).orderBy('tasks.id').limit(limit).execute()
  return rows.map(({ id }) => id)
}

/** Ended, and nobody is owed anything: no question open, no message waiting. */
export function isRemovable(eb: ExpressionBuilder<Database, 'tasks'>) {
  const isOver = eb.or([
    eb('tasks.status', 'in', ENDED),
    eb.and([eb('tasks.status', '=', 'idle'), eb('tasks.archived_at', 'is not', null)]),
  ])
  const question = eb
    .selectFrom('approvals')
    .select('approvals.id')
    .whereRef('approvals.task_id', '=', 'tasks.id')
    .where('approvals.status', '=', 'pending')
  const message = eb
    .selectFrom('messages')
    .select('messages.id')
    .whereRef('messages.task_id', '=', 'tasks.id')
    .where('messages.status', 'in', ['queued', 'sending'])
  return eb.and([isOver, eb.not(eb.exists(question)), eb.not(eb.exists(message))])
}
