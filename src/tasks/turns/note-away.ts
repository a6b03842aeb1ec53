// What people are told while the machine that a turn runs on is away: codex may go on there, and nobody here knows.
import { type EventLog, type StoredTask, taskRow } from '../../store/index.ts'
import { changeStatus, refreshWaiting } from '../log/index.ts'
import type { Run } from './run.ts'

/** A connection that was cut for a moment is made again before anybody needs to know. */
const TOLD_AFTER_MS = 2_000

/** The turn is neither lost nor done: that is seen when the machine is back. */
export async function noteAway(
  run: Run,
  { host }: StoredTask,
  { error, waitedMs, log }: { error: Error; waitedMs: number; log: EventLog },
): Promise<void> {
  if (run.isAway || waitedMs < TOLD_AFTER_MS) return
  run.isAway = true
  await log.change(async (change) => {
    const row = await taskRow(change.db, run.taskId)
    if (row?.status !== 'working') return
    const reason = `host ${host} is away: codex may go on there, which is seen when it is back`
    await changeStatus(change, run.taskId, {
      status: 'working',
      reason,
      evidence: { host, error: error.message },
    })
  })
}

export async function noteBack(run: Run, log: EventLog): Promise<void> {
  if (!run.isAway) return
  run.isAway = false
  await log.change(async (change) => {
    const row = await taskRow(change.db, run.taskId)
    if (row?.status !== 'working') return
    await changeStatus(change, run.taskId, { status: 'working', reason: 'codex works on it' })
    await refreshWaiting(change, run.taskId)
  })
}
