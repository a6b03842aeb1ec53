// A task's status changes here and nowhere else: row and event together, in the caller's transaction.
import type { Kysely, Updateable } from 'kysely'
import type { Record } from './event-log.ts'
import { pendingApprovals } from './store/approval-rows.ts'
import type { Database, TaskRow } from './store/schema.ts'
import { taskRow, updateTask } from './store/task-rows.ts'
import { type Evidence, hasEnded, type Task, type TaskStatus } from './task.ts'

type Db = Kysely<Database>

export interface StatusChange {
  readonly status: TaskStatus
  readonly reason: string
  readonly evidence?: Evidence
  readonly waitingFor?: Task['waitingFor']
  /** More of the row that changes with it. */
  readonly more?: Updateable<TaskRow>
}

export async function changeStatus(
  { db, record, now }: { db: Db; record: Record; now: number },
  taskId: string,
  { status, reason, evidence = {}, waitingFor = null, more = {} }: StatusChange,
): Promise<void> {
  await updateTask(db, taskId, {
    status,
    reason,
    evidence: JSON.stringify(evidence),
    waiting_for: waitingFor,
    updated_at: now,
    ended_at: hasEnded(status) ? now : null,
    ...more,
  })
  record(taskId, 'drawbridge/task', { status, waitingFor, reason, evidence })
}

/** `waiting` while a question is open, `working` otherwise; nothing for a task whose turn does not run. */
export async function refreshWaiting(
  change: { db: Db; record: Record; now: number },
  taskId: string,
): Promise<{ isWaiting: boolean }> {
  const row = await taskRow(change.db, taskId)
  const open = await pendingApprovals(change.db, taskId)
  const first = open[0]
  if (!row || (row.status !== 'working' && row.status !== 'waiting')) return { isWaiting: open.length > 0 }
  if (!first && row.status === 'waiting')
    await changeStatus(change, taskId, { status: 'working', reason: 'every question is answered' })
  if (first) {
    const waitingFor = wantsInput(first.kind) ? 'input' : 'approval'
    const reason = open.length === 1 ? first.title : `${first.title} (and ${open.length - 1} more)`
    if (row.status !== 'waiting' || row.reason !== reason)
      await changeStatus(change, taskId, {
        status: 'waiting',
        waitingFor,
        reason,
        evidence: { approvals: open.map(({ id }) => id) },
      })
  }
  return { isWaiting: open.length > 0 }
}

export function wantsInput(kind: string): boolean {
  return kind === 'user-input' || kind === 'elicitation'
}
