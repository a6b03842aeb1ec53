// What a fork has of the task it comes from, and where it may begin.
import { type Db, hasTurn, type StoredTask } from '../../store/index.ts'
import { TaskError } from '../model/index.ts'

export const KEPT_IN_FORKS = [
  'policy',
  'preset',
  'rules',
  'notify',
  'keep_open',
  'timeout_ms',
  'approval_timeout_ms',
  'codex_path',
  'codex_home',
  'on_lost',
  'tools',
  // Not a child, but no way around the limit either.
  'depth',
  // Its thread is there.
  'worker_id',
] as const

/** The history of a fork begins with turns that only codex knows: of those it is the judge. */
export async function refuseUnknownTurn(db: Db, from: StoredTask, turnId: string | undefined): Promise<void> {
  if (turnId === undefined || turnId === from.turn_id || from.forked_from !== null) return
  if (!(await hasTurn(db, { taskId: from.id, turnId })))
    throw new TaskError('bad-request', `lastTurnId: the task has had no turn ${turnId}`)
}
