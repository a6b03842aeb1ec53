// After the service was gone: every task that was at work is found again, and everything that waited waits again.
import {
  type Db,
  type EventLog,
  isHeld,
  messageRows,
  type StoredTask,
  type TaskStatus,
  taskRow,
  taskRowsByStatus,
  tasksWithMessages,
} from '../../store/index.ts'
import { changeStatus } from '../log/index.ts'
import type { Recovering } from './recovering.ts'
import type { Runs } from './runs.ts'

export interface RecoverParts {
  readonly log: EventLog
  readonly runs: Pick<Runs, 'recover' | 'wake' | 'limit'>
  readonly recovering: Recovering
  /** Ends a turn of the task that was given up and may still run. */
  readonly endOrphanTurn: (row: StoredTask) => Promise<void>
  /** Whether a task is run here. */
  readonly owns: (taskId: string) => boolean
  /** Claims keep the order of the queue. Without them those that were at work have their places first. */
  readonly hasClaims: boolean
}

export interface RecoveryPlan {
  readonly atWork: readonly StoredTask[]
  readonly limited: readonly StoredTask[]
  readonly queued: readonly StoredTask[]
  /** Those that have messages and are in none of the other lists. */
  readonly unsent: readonly StoredTask[]
  /** Those that have ended, while their turn may still run. */
  readonly orphans: readonly StoredTask[]
  readonly withMessages: ReadonlySet<string>
}

/** So many threads are opened at once in one app-server. */
const PARALLEL = 8

/** What there is to recover. What is wanted of these tasks waits from here on. */
export async function planRecovery(
  parts: Pick<RecoverParts, 'log' | 'owns' | 'recovering'>,
  orphans: readonly StoredTask[],
): Promise<RecoveryPlan> {
  const plan = await parts.log.change(({ db }) => readPlan(db, { owns: parts.owns, orphans }))
  for (const rows of [plan.atWork, plan.unsent, plan.orphans])
    parts.recovering.begin(rows.map(({ id }) => id))
  return plan
}

async function readPlan(
  db: Db,
  { owns, orphans }: { owns: RecoverParts['owns']; orphans: readonly StoredTask[] },
): Promise<RecoveryPlan> {
  const withStatus = async (statuses: readonly TaskStatus[]) =>
    (await taskRowsByStatus(db, statuses)).filter(({ id }) => owns(id))
  const atWork = (await withStatus(['starting', 'working', 'waiting'])).filter(wasAtWork)
  const [limited, queued] = [await withStatus(['limited']), await withStatus(['queued'])]
  const withMessages = new Set((await tasksWithMessages(db, ['queued', 'sending'])).filter(owns))
  const listed = new Set([...atWork, ...limited, ...queued].map(({ id }) => id))
  const others = [...withMessages].filter((id) => !listed.has(id))
  const rows = await Promise.all(others.map((id) => taskRow(db, id)))
  const unsent = rows.filter((row) => row !== undefined).filter((row) => !isHeld(row.status as TaskStatus))
  for (const { id } of unsent) listed.add(id)
  return {
    ...{ atWork, limited, queued, unsent, withMessages },
    orphans: orphans.filter(({ id }) => !listed.has(id)),
  }
}

function wasAtWork({ turn_id, status }: StoredTask): boolean {
  return turn_id !== null || status === 'starting'
}

/** Resolves when it is known of each how it goes on. One that cannot be looked at keeps only those of its app-server. */
export async function recoverAll(plan: RecoveryPlan, parts: RecoverParts): Promise<void> {
  const { runs, hasClaims } = parts
  for (const row of plan.limited) if (row.limited_until !== null) runs.limit(row, row.limited_until)
  const atWork = inLanes(plan.atWork, (row) => recoverOne(row, parts))
  if (!hasClaims) await atWork
  await Promise.all([
    atWork,
    inLanes(plan.orphans, (row) => endOrphan(row, parts)),
    inLanes(plan.unsent, (row) => recoverOne(row, parts)),
    ...plan.queued.map((row) => wake(row, plan, parts)),
  ])
}

/** Some that were at work or limited, or whose turn may still run, in a service that has recovered the others. */
export async function recoverTasks(rows: readonly StoredTask[], parts: RecoverParts): Promise<void> {
  const { recovering, runs } = parts
  const atWork = rows.filter(wasAtWork)
  const orphans = rows.filter((row) => !wasAtWork(row) && row.orphan_turn !== null)
  recovering.begin([...atWork, ...orphans].map(({ id }) => id))
  for (const row of rows)
    if (row.status === 'limited' && row.limited_until !== null) runs.limit(row, row.limited_until)
  await Promise.all([
    inLanes(atWork, (row) => recoverOne(row, parts)),
    inLanes(orphans, (row) => endOrphan(row, parts)),
  ])
}

async function recoverOne(row: StoredTask, { runs, recovering, endOrphanTurn }: RecoverParts): Promise<void> {
  try {
    if (row.orphan_turn !== null) await endOrphanTurn(row)
    await runs.recover(row)
  } finally {
    recovering.end(row.id)
  }
}

async function endOrphan(row: StoredTask, { recovering, endOrphanTurn }: RecoverParts): Promise<void> {
  try {
    await endOrphanTurn(row)
  } finally {
    recovering.end(row.id)
  }
}

async function wake(row: StoredTask, { withMessages }: RecoveryPlan, parts: RecoverParts): Promise<void> {
  if (!withMessages.has(row.id)) return loseMessage(row, parts)
  if (row.orphan_turn !== null) await parts.endOrphanTurn(row)
  parts.runs.wake(row.id)
}

/** A few at a time for each app-server: one that does not answer keeps nobody else waiting. */
async function inLanes(rows: readonly StoredTask[], work: (row: StoredTask) => Promise<void>): Promise<void> {
  const byAppServer = Map.groupBy(rows, (row) => row.app_server_id ?? `${row.codex_path} ${row.codex_home}`)
  const lanes = [...byAppServer.values()].flatMap((queue) =>
    Array.from({ length: Math.min(PARALLEL, queue.length) }, async () => {
      for (let row = queue.shift(); row; row = queue.shift()) await work(row)
    }),
  )
  await Promise.all(lanes)
}

/** Only the repair of a damaged database loses or cancels it. */
async function loseMessage({ id }: StoredTask, { log }: RecoverParts): Promise<void> {
  await log.change(async (change) => {
    // Meanwhile a person may have sent another, or taken the task out of the queue.
    const isStill = (await taskRow(change.db, id))?.status === 'queued'
    if (!isStill || (await messageRows(change.db, id, ['queued', 'sending'])).length > 0) return
    await changeStatus(change, id, {
      status: 'failed',
      reason: 'its message is no longer queued, because the database was repaired: resume the task to run it',
      more: { queued_at: null },
    })
  })
}
