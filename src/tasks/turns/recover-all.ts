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
  readonly runs: Pick<Runs, 'recover' | 'wake' | 'park'>
  readonly recovering: Recovering
  /** Ends a turn of the task that was given up and may still run. */
  readonly endOrphanTurn: (row: StoredTask) => Promise<void>
  /** From here on the deadlines of their open questions are seen to. */
  readonly restoreQuestions: () => Promise<void>
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
  for (const rows of [plan.atWork, plan.unsent]) parts.recovering.begin(rows.map(({ id }) => id))
  beginOrphans(plan.orphans, parts)
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

/** It works on a host, which may be away for days: no other task, and no start of a service, waits for it. */
function isFar({ host }: StoredTask): boolean {
  return host !== null
}

/** They have ended, and only what is wanted of them waits. */
function beginOrphans(rows: readonly StoredTask[], { recovering }: Pick<RecoverParts, 'recovering'>): void {
  recovering.begin(
    rows.map(({ id }) => id),
    { wantsPlace: false },
  )
}

function isOrphan({ orphan_turn }: StoredTask): boolean {
  return orphan_turn !== null
}

/**
 * `found`: it is known of each how it goes on. One that cannot be looked at keeps only those of its app-server.
 * `ended`: the same of those whose turn was given up, or that work on a host. As long as their app-server lives and is
 * silent, nobody else waits for that.
 */
export function recoverAll(
  plan: RecoveryPlan,
  parts: RecoverParts,
): { readonly found: Promise<void>; readonly ended: Promise<void> } {
  for (const row of plan.limited) if (row.limited_until !== null) parts.runs.park(row, row.limited_until)
  return { found: findAll(plan, parts), ended: endAll(plan, parts) }
}

async function findAll(plan: RecoveryPlan, parts: RecoverParts): Promise<void> {
  const [known, unsent] = [plan.atWork, plan.unsent].map((rows) =>
    rows.filter((row) => !isOrphan(row) && !isFar(row)),
  )
  const queued = plan.queued.filter((row) => !isOrphan(row))
  const atWork = inLanes(known!, (row) => recoverOne(row, parts))
  if (!parts.hasClaims) await atWork
  await allDone([
    atWork,
    inLanes(unsent!, (row) => recoverOne(row, parts)),
    ...queued.map((row) => wake(row, plan, parts)),
  ])
}

async function endAll(plan: RecoveryPlan, parts: RecoverParts): Promise<void> {
  await allDone([
    inLanes(
      [...plan.atWork, ...plan.unsent].filter((row) => isOrphan(row) || isFar(row)),
      (row) => recoverOne(row, parts),
    ),
    inLanes(plan.orphans, (row) => endOrphan(row, parts)),
    ...plan.queued.filter(isOrphan).map((row) => wake(row, plan, parts)),
  ])
}

/** Rejects with what failed first, when none of them goes on any more. */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** Some that were at work or limited, or whose turn may still run, in a service that has recovered the others. */
export async function recoverTasks(rows: readonly StoredTask[], parts: RecoverParts): Promise<void> {
  const { recovering, runs } = parts
  const atWork = rows.filter(wasAtWork)
  const orphans = rows.filter((row) => !wasAtWork(row) && isOrphan(row))
  recovering.begin(atWork.map(({ id }) => id))
  beginOrphans(orphans, parts)
  for (const row of rows)
    if (row.status === 'limited' && row.limited_until !== null) runs.park(row, row.limited_until)
  await Promise.all([
    inLanes(atWork, (row) => recoverOne(row, parts)),
    inLanes(orphans, (row) => endOrphan(row, parts)),
    parts.restoreQuestions(),
  ])
}

async function recoverOne(row: StoredTask, { runs, recovering, endOrphanTurn }: RecoverParts): Promise<void> {
  try {
    if (isOrphan(row)) await endOrphanTurn(row)
    const recovered = runs.recover(row)
    // What is wanted of it meanwhile is told that its host is away.
    if (isFar(row)) recovering.end(row.id)
    await recovered
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
  if (isOrphan(row)) await parts.endOrphanTurn(row)
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
  await allDone(lanes)
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
