// A task with the history of another, as a row.
import { redact } from '../../codex/index.ts'
import { type Db, hasTurn, type StoredTask } from '../../store/index.ts'
import { type ForkTask, TaskError } from '../model/index.ts'
import { hashOf, type NewTask, newTask, titleOf } from './new-task.ts'

const KEPT_IN_FORKS = [
  'policy',
  'preset',
  'rules',
  'notify',
  'keep_open',
  'timeout_ms',
  'approval_timeout_ms',
  'codex_path',
  'codex_home',
  'account',
  'account_id',
  'on_limit',
  'on_lost',
  'snapshots',
  'tools',
  'host',
  // Not a child, but no way around the limit either.
  'depth',
  // Its thread is there.
  'worker_id',
] as const

/** Everything that was agreed on for the other, and its history. */
export function forkRow(
  from: StoredTask,
  { prompt, lastTurnId, title, idempotencyKey }: ForkTask,
  made: Parameters<typeof newTask>[1],
): NewTask['task'] {
  const on = from.host === null ? {} : { host: from.host }
  // The folder of a workspace that is yet to be made is not there to be looked at.
  const { task } = newTask(
    { prompt: prompt ?? from.prompt, cwd: from.cwd, ...on },
    { ...made, isHere: made.isHere !== false && !made.place },
  )
  const kept = Object.fromEntries(KEPT_IN_FORKS.map((column) => [column, from[column]]))
  const fork = { threadId: from.thread_id, ...(lastTurnId !== undefined && { lastTurnId }) }
  return {
    ...task,
    ...kept,
    title: titleOf(redact(title ?? `Fork of ${from.title}`)),
    forked_from: from.id,
    fork_of: JSON.stringify(fork),
    ...(prompt === undefined && {
      status: 'idle',
      reason: 'it was forked and waits for a message',
      queued_at: null,
    }),
    ...(idempotencyKey !== undefined && {
      idempotency_key: idempotencyKey,
      request_hash: hashOf({ prompt, lastTurnId, title, taskId: from.id }),
    }),
  }
}

/** The history of a fork begins with turns that only codex knows: of those it is the judge. */
export async function refuseUnknownTurn(db: Db, from: StoredTask, turnId: string | undefined): Promise<void> {
  if (turnId === undefined || turnId === from.turn_id || from.forked_from !== null) return
  if (!(await hasTurn(db, { taskId: from.id, turnId })))
    throw new TaskError('bad-request', `lastTurnId: the task has had no turn ${turnId}`)
}
