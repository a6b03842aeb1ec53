// What is forgotten, and when. Never a task that has not ended, one with an open question or a waiting message, or one
// that resumes by itself; never the audit.
import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'
import { removableTasks } from './removable-tasks.ts'
import { NOTHING, removeOrphanEvents, removeOrphanParts, removeTask, sum, trimTask } from './removal.ts'
import { giveBackSpace, measureSpace, type Removed } from './space.ts'

export interface Retention {
  /** Ended tasks older than this are deleted with all that is theirs. null: never. */
  readonly taskMaxAgeMs: number | null
  /** Events of tasks that ended longer ago are deleted; the task, its answer and its approvals stay. null: never. */
  readonly eventMaxAgeMs: number | null
  /** Above this the events of the tasks that ended longest ago go, then these tasks. null: it may grow. */
  readonly maxBytes: number | null
}

const DAY_MS = 24 * 60 * 60 * 1000

export const DEFAULT_RETENTION: Retention = {
  taskMaxAgeMs: null,
  eventMaxAgeMs: 90 * DAY_MS,
  maxBytes: 10 * 1024 ** 3,
}

export interface PruneOptions {
  readonly retention: Retention
  readonly now: number
  readonly signal?: AbortSignal | undefined
}

export interface Pruned {
  /** Ids of tasks that are gone. Whatever is kept of them elsewhere can go too. */
  readonly tasks: readonly string[]
  /** Ids of tasks that are still there without their events. */
  readonly trimmed: readonly string[]
  readonly events: number
  readonly notices: number
  readonly bytesBefore: number
  readonly bytesAfter: number
}

interface Tally {
  readonly tasks: string[]
  readonly trimmed: string[]
  removed: Removed
}

const TASKS_PER_LOOK = 50

/** Works in small steps beside everything else; stopped halfway, the next run goes on. */
export async function prune(db: Kysely<Database>, options: PruneOptions): Promise<Pruned> {
  const { retention, now, signal } = options
  const { taskMaxAgeMs, eventMaxAgeMs, maxBytes } = retention
  const usedNow = await measureSpace(db)
  const bytesBefore = await usedNow(NOTHING)
  const tally: Tally = { tasks: [], trimmed: [], removed: await removeOrphanEvents(db, { signal }) }
  await removeOrphanParts(db, now - DAY_MS)
  let notices = 0
  if (taskMaxAgeMs !== null) await removeTasks(db, tally, { before: now - taskMaxAgeMs, signal })
  if (eventMaxAgeMs !== null) {
    await trimTasks(db, tally, { before: now - eventMaxAgeMs, signal })
    notices = await removeNotices(db, now - eventMaxAgeMs)
  }
  if (maxBytes !== null) {
    const isEnough = async () => (await usedNow(tally.removed)) <= maxBytes
    await trimTasks(db, tally, { isEnough, signal })
    await removeTasks(db, tally, { isEnough, signal })
  }
  await giveBackSpace(db, signal ? { signal } : {})
  // By size a task can be trimmed first and then go all the same.
  const gone = new Set(tally.tasks)
  const trimmed = [...new Set(tally.trimmed)].filter((id) => !gone.has(id))
  const { tasks, removed } = tally
  const bytesAfter = await usedNow(removed)
  return { tasks, trimmed, events: removed.events, notices, bytesBefore, bytesAfter }
}

interface Bound {
  readonly before?: number | undefined
  readonly isEnough?: (() => Promise<boolean>) | undefined
  readonly signal: AbortSignal | undefined
}

async function removeTasks(
  db: Kysely<Database>,
  tally: Tally,
  { before, isEnough, signal }: Bound,
): Promise<void> {
  for await (const taskId of removable(db, { before, isEnough })) {
    const removed = await removeTask(db, taskId, { signal })
    if (removed === null) continue
    tally.tasks.push(taskId)
    tally.removed = sum(tally.removed, removed)
  }
}

async function trimTasks(
  db: Kysely<Database>,
  tally: Tally,
  { before, isEnough, signal }: Bound,
): Promise<void> {
  for await (const taskId of removable(db, { before, isEnough, hasEvents: true })) {
    const removed = await trimTask(db, taskId, { signal })
    if (removed.events === 0) continue
    tally.trimmed.push(taskId)
    tally.removed = sum(tally.removed, removed)
  }
}

/** Each once, oldest first, until it is enough. What is taken must no longer match, or have ceased to be removable. */
async function* removable(
  db: Kysely<Database>,
  { before, isEnough, hasEvents }: Omit<Bound, 'signal'> & { hasEvents?: boolean },
): AsyncGenerator<string> {
  const seen = new Set<string>()
  for (;;) {
    const found = await removableTasks(db, { before, hasEvents, limit: TASKS_PER_LOOK })
    const fresh = found.filter((id) => !seen.has(id))
    if (fresh.length === 0) return
    for (const id of fresh) {
      if (await isEnough?.()) return
      seen.add(id)
      yield id
    }
  }
}

async function removeNotices(db: Kysely<Database>, before: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('outbox')
    .where('status', '!=', 'pending')
    .where('created_at', '<', before)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
