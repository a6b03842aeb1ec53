// After the service was gone: every task that was at work is found again, and everything that waited waits again.
import {
  type EventLog,
  isHeld,
  type StoredTask,
  type TaskStatus,
  taskRow,
  taskRowsByStatus,
  tasksWithMessages,
} from '../../store/index.ts'
import { changeStatus } from '../log/index.ts'
import type { Runs } from './runs.ts'

interface RecoverAllParts {
  readonly log: EventLog
  readonly runs: Runs
  /** Whether a task is run here. */
  readonly owns: (taskId: string) => boolean
}

/** So many threads are opened at once. */
const PARALLEL = 8

export async function recoverAll(parts: RecoverAllParts): Promise<void> {
  const { log, runs, owns } = parts
  const withStatus = async (statuses: readonly TaskStatus[]) =>
    (await log.change(({ db }) => taskRowsByStatus(db, statuses))).filter(({ id }) => owns(id))
  const atWork = await withStatus(['starting', 'working', 'waiting'])
  const queue = atWork.filter((row) => row.turn_id !== null || row.status === 'starting')
  const limited = await withStatus(['limited'])
  for (const row of limited) if (row.limited_until !== null) runs.limit(row, row.limited_until)
  const workers = Array.from({ length: PARALLEL }, async () => {
    for (let row = queue.shift(); row; row = queue.shift()) await runs.recover(row)
  })
  await Promise.all(workers)
  // In the order they came in, after those that were at work.
  const withMessages = await log.change(({ db }) => tasksWithMessages(db, ['queued', 'sending']))
  const waiting = new Set(withMessages.filter(owns))
  for (const row of await withStatus(['queued']))
    if (waiting.has(row.id)) runs.wake(row.id)
    else await loseMessage(row, parts)
  for (const taskId of waiting) {
    const row = await log.change(({ db }) => taskRow(db, taskId))
    if (row && !isHeld(row.status as TaskStatus)) await runs.recover(row)
  }
}

/** Some that were at work or limited, in a service that has recovered the others. Resolves when it is known how they go on. */
export async function recoverTasks(rows: readonly StoredTask[], runs: Runs): Promise<void> {
  for (const row of rows)
    if (row.status === 'limited' && row.limited_until !== null) runs.limit(row, row.limited_until)
  const atWork = rows.filter((row) => row.turn_id !== null || row.status === 'starting')
  await Promise.all(atWork.map((row) => runs.recover(row)))
}

/** Only the repair of a damaged database loses or cancels it. */
async function loseMessage({ id }: StoredTask, { log }: RecoverAllParts): Promise<void> {
  await log.change((change) =>
    changeStatus(change, id, {
      status: 'failed',
      reason: 'its message is no longer queued, because the database was repaired: resume the task to run it',
      more: { queued_at: null },
    }),
  )
}
