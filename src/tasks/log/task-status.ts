// A task's status changes here and nowhere else: row and event together, in the caller's transaction.
import { redact, redactValue } from '../../codex/index.ts'
import {
  type Change,
  hasEnded,
  isAsyncRow,
  pendingApprovals,
  type TaskStatus,
  type TaskUpdate,
  taskRow,
  updateTask,
} from '../../store/index.ts'
import type { Evidence, Task } from '../model/index.ts'

export interface StatusChange {
  readonly status: TaskStatus
  readonly reason: string
  readonly evidence?: Evidence
  readonly waitingFor?: Task['waitingFor']
  /** More of the row that changes with it. */
  readonly more?: TaskUpdate
}

export async function changeStatus(
  change: Change,
  taskId: string,
  { status, waitingFor = null, more = {}, ...why }: StatusChange,
): Promise<void> {
  // What codex said last, on stderr or in an error, may have anything in it.
  const reason = redact(why.reason)
  const evidence = redactValue(why.evidence ?? {}) as Evidence
  await updateTask(change.db, taskId, {
    status,
    reason,
    evidence: JSON.stringify(evidence),
    waiting_for: waitingFor,
    updated_at: change.now,
    ended_at: hasEnded(status) ? change.now : null,
    ...more,
  })
  change.emit(taskId, 'drawbridge/task', { status, waitingFor, reason, evidence })
}

/**
 * `waiting` while a question holds the task up, `working` otherwise; nothing for a task that is not at work. One whose
 * turn is over and that waited for an answer only is done without it.
 */
export async function refreshWaiting(change: Change, taskId: string): Promise<{ isWaiting: boolean }> {
  const row = await taskRow(change.db, taskId)
  const pending = await pendingApprovals(change.db, taskId)
  const isRunning = row?.turn_id != null
  const open = isRunning ? pending.filter((question) => !isAsyncRow(question)) : pending
  const [first] = open
  const isWaiting = first !== undefined
  // A question in the last message of a turn may be heard of just after its end.
  const isDone = row?.status === 'completed' || row?.status === 'idle'
  const isConcerned = row?.status === 'working' || row?.status === 'waiting' || (isDone && isWaiting)
  // Its worker is gone: what its questions are answered with counts when that is back.
  if (!row || !isConcerned || row.waiting_for === 'worker') return { isWaiting }
  if (!first && row.status === 'waiting')
    await changeStatus(change, taskId, isRunning ? ANSWERED : row.keep_open === 1 ? OPEN : DONE)
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
  return { isWaiting }
}

/** The one place that says a task waits for its turn. `at` is its place in the queue: smaller first. */
export function queued(at: number, why: { reason?: string; evidence?: Evidence } = {}): StatusChange {
  return {
    status: 'queued',
    reason: 'it waits for its turn',
    ...why,
    more: { queued_at: at, archived_at: null },
  }
}

const ANSWERED: StatusChange = { status: 'working', reason: 'codex works on it' }
const DONE: StatusChange = { status: 'completed', reason: 'the turn is done, and its question is settled' }
const OPEN: StatusChange = { status: 'idle', reason: 'the turn is done; it can take another' }

export function wantsInput(kind: string): boolean {
  return kind === 'user-input' || kind === 'elicitation'
}
