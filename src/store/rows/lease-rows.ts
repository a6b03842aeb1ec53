// Which start of which worker owns a task. A worker keeps what it owns for as long as it runs: it ends with its own word,
// or when it is declared lost, and both change the worker's row, which every transaction of it looks at first.
import type { ExpressionBuilder } from 'kysely'
import type { Db } from '../db.ts'
import { databaseTime, isPostgres, locked } from '../dialect.ts'
import type { Database } from '../schema.ts'
import { lockTask, type StoredTask } from './task-rows.ts'
import { RUNNING, type StoredWorker, type WorkerFacts, type WorkerStart } from './worker-rows.ts'

export interface Claimant extends Pick<WorkerFacts, 'id' | 'boot' | 'name' | 'labels'> {}

export type ClaimableTask = Pick<
  StoredTask,
  'id' | 'cwd' | 'codex_home' | 'codex_path' | 'host' | 'evidence' | 'queued_at'
>

const MACHINE_PLACES = ['cwd', 'codex_home', 'codex_path', 'host'] as const
/** What a task names of the machine that runs it. */
type MachinePlace = (typeof MACHINE_PLACES)[number]

/**
 * Queued tasks without an owner that this worker may run, in the order of the queue. They may be gone when claimed.
 * `without`: what its machine does not have.
 */
export function claimableTasks(
  db: Db,
  { id, name, labels }: Claimant,
  { limit, without }: { limit: number; without: Readonly<Record<MachinePlace, readonly string[]>> },
): Promise<ClaimableTask[]> {
  let free = claimable(db)
    .select(['id', 'cwd', 'codex_home', 'codex_path', 'host', 'evidence', 'queued_at'])
    .where(livesOn(id))
    .where(({ or, eb }) => or([eb('wants', 'is', null), eb('wants', 'in', [id, name, ...labels])]))
    .orderBy('queued_at')
    .orderBy('id')
    .limit(limit)
  for (const column of MACHINE_PLACES) {
    const paths = without[column]
    if (paths.length === 0) continue
    // The folder of a task on a host is there.
    const isElsewhere = column === 'cwd' ? 'host' : null
    free = free.where(({ or, eb }) =>
      or([
        eb(column, 'is', null),
        eb(column, 'not in', paths),
        ...(isElsewhere ? [eb(isElsewhere, 'is not', null)] : []),
      ]),
    )
  }
  return free.execute()
}

/** In a transaction of the claimant, after its number: claims those of these that are still free. */
export async function claimTasks(
  db: Db,
  ids: readonly string[],
  claimant: Pick<Claimant, 'id' | 'boot'>,
): Promise<StoredTask[]> {
  if (ids.length === 0 || !(await isTaking(db, claimant))) return []
  // Since the look another one may have had it, and its thread lives there now.
  let free = claimable(db).select('id').where('id', 'in', ids).where(livesOn(claimant.id))
  if (isPostgres(db)) free = free.forUpdate().skipLocked()
  const found = (await free.execute()).map((row) => row.id)
  return found.length === 0 ? [] : own(db, found, claimant)
}

/** Its row is locked: a call that drains it waits for this transaction, and none after it claims. */
async function isTaking(db: Db, { id, boot }: WorkerStart): Promise<boolean> {
  const self = await db
    .selectFrom('workers')
    .select('state')
    .where('id', '=', id)
    .where('boot', '=', boot)
    .executeTakeFirst()
  return self?.state !== 'draining'
}

function claimable(db: Db) {
  return db.selectFrom('tasks').where('status', '=', 'queued').where('lease_boot', 'is', null)
}

function livesOn(id: string) {
  return ({ or, and, eb }: ExpressionBuilder<Database, 'tasks'>) =>
    or([
      eb('worker_id', 'is', null),
      eb('worker_id', '=', id),
      // Claimed once and never begun: no machine has a thread of it.
      and([eb('thread_id', 'is', null), eb('fork_of', 'is', null)]),
    ])
}

/** After a start: what this worker had and nobody owns now, as far as there is something to do for it. */
export async function takeBackTasks(db: Db, { id, boot }: WorkerStart): Promise<StoredTask[]> {
  const mine = db.selectFrom('tasks').select('id').where('worker_id', '=', id)
  const unsent = db.selectFrom('messages').select('task_id').where('status', 'in', ['queued', 'sending'])
  const toDo = mine.where(({ or, eb }) =>
    or([
      eb('ended_at', 'is', null),
      eb('status', '=', 'limited'),
      eb('orphan_turn', 'is not', null),
      eb('id', 'in', unsent),
    ]),
  )
  const ids = (await locked(db, toDo).execute()).map((row) => row.id)
  return own(db, await ownerless(db, ids), { id, boot })
}

/**
 * In a running worker: what it could not take back at its start, because another had adopted it just then to act on it.
 * Those in the queue are claimed like others. `taskId`: this one, also when another transaction has it at the moment.
 */
export async function takeBackLate(
  db: Db,
  { id, boot }: WorkerStart,
  { taskId }: { taskId?: string } = {},
): Promise<StoredTask[]> {
  const mine = db
    .selectFrom('tasks')
    .select('id')
    .where('worker_id', '=', id)
    .where('lease_boot', 'is', null)
    .where(({ or, and, eb }) =>
      or([
        eb('status', 'in', ['starting', 'working', 'waiting', 'limited']),
        and([eb('orphan_turn', 'is not', null), eb('ended_at', 'is not', null)]),
      ]),
    )
  let left = taskId === undefined ? mine : locked(db, mine.where('id', '=', taskId))
  if (taskId === undefined && isPostgres(db)) left = left.forUpdate().skipLocked()
  const ids = (await left.execute()).map((row) => row.id)
  return own(db, ids, { id, boot })
}

/**
 * Those of these that no running worker owns; they are locked already. The statement that locks cannot tell: it may
 * have waited, and does not see a worker that was registered meanwhile.
 */
async function ownerless(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('id', 'in', ids)
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('lease_boot', 'is', null),
        not(
          exists(
            selectFrom('workers')
              .select('workers.id')
              .whereRef('workers.boot', '=', 'tasks.lease_boot')
              .where('workers.state', 'in', RUNNING),
          ),
        ),
      ]),
    )
    .execute()
  return rows.map((row) => row.id)
}

async function own(db: Db, ids: readonly string[], { id, boot }: WorkerStart): Promise<StoredTask[]> {
  if (ids.length === 0) return []
  const rows = await db
    .updateTable('tasks')
    .set((eb) => ({ worker_id: id, lease_boot: boot, lease_generation: eb('lease_generation', '+', 1) }))
    .where('id', 'in', ids)
    .returningAll()
    .execute()
  return rows.sort((a, b) => (a.queued_at ?? 0) - (b.queued_at ?? 0) || (a.id < b.id ? -1 : 1))
}

/** After a store was moved here: threads that nobody has are on the machine of this worker. */
export async function giveThreads(db: Db, workerId: string): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ worker_id: workerId })
    .where('worker_id', 'is', null)
    .where(({ or, eb }) => or([eb('thread_id', 'is not', null), eb('fork_of', 'is not', null)]))
    .execute()
}

/** Who owns a task, and where its thread is. */
export interface Holder {
  /** The worker its thread lives on; null until one has claimed it. */
  readonly home: string | null
  /** The running worker that owns it now; null: none does. */
  readonly worker: StoredWorker | null
}

/** null: there is no such task. */
export async function holderOf(db: Db, taskId: string): Promise<Holder | null> {
  const task = await db
    .selectFrom('tasks')
    .select(['worker_id', 'lease_boot'])
    .where('id', '=', taskId)
    .executeTakeFirst()
  if (!task) return null
  const worker =
    task.lease_boot === null
      ? undefined
      : await db
          .selectFrom('workers')
          .selectAll()
          .where('boot', '=', task.lease_boot)
          .where('state', 'in', RUNNING)
          .executeTakeFirst()
  return { home: task.worker_id, worker: worker ?? null }
}

/** In a transaction of the adopter, after its number: takes a task that nobody owns, to act on it. Where its thread lives does not change. False: somebody owns it by now. */
export async function adoptTask(db: Db, taskId: string, { boot }: WorkerStart): Promise<boolean> {
  await lockTask(db, taskId)
  if ((await ownerless(db, [taskId])).length === 0) return false
  await db
    .updateTable('tasks')
    .set((eb) => ({ lease_boot: boot, lease_generation: eb('lease_generation', '+', 1) }))
    .where('id', '=', taskId)
    .execute()
  return true
}

/** What was adopted to act on it is free again. */
export async function releaseTask(
  db: Db,
  taskId: string,
  { boot }: Pick<WorkerStart, 'boot'>,
): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ lease_boot: null })
    .where('id', '=', taskId)
    .where('lease_boot', '=', boot)
    .execute()
}

/** A task at work whose worker is lost, or has been stopped for longer than a restart takes. */
export interface OrphanedTask extends StoredTask {
  readonly worker_name: string
  readonly worker_machine: string
  readonly worker_state: string
  readonly worker_beat_at: number
}

/** Those about which nothing has been said yet. */
export async function orphanedTasks(
  db: Db,
  { graceMs, limit }: { graceMs: number; limit: number },
): Promise<OrphanedTask[]> {
  let rows = db
    .selectFrom('tasks')
    .innerJoin('workers', 'workers.id', 'tasks.worker_id')
    .selectAll('tasks')
    .select([
      'workers.name as worker_name',
      'workers.machine as worker_machine',
      'workers.state as worker_state',
      'workers.beat_at as worker_beat_at',
    ])
    .where('tasks.lease_boot', 'is', null)
    .where('tasks.status', 'in', ['starting', 'working', 'waiting'])
    .where(({ or, eb }) => or([eb('tasks.turn_id', 'is not', null), eb('tasks.status', '=', 'starting')]))
    .where(({ or, eb }) => or([eb('tasks.waiting_for', 'is', null), eb('tasks.waiting_for', '!=', 'worker')]))
    .where(({ or, and, eb }) =>
      or([
        eb('workers.state', '=', 'lost'),
        and([
          eb('workers.state', '=', 'stopped'),
          eb(eb('workers.beat_at', '+', graceMs), '<', databaseTime(db) as never),
        ]),
      ]),
    )
    .orderBy('tasks.id')
    .limit(limit)
  // Two workers may look at the same time: each task is told of by one.
  if (isPostgres(db)) rows = rows.forUpdate('tasks').skipLocked()
  return (await rows.execute()) as OrphanedTask[]
}

export type UnplacedTask = Pick<
  StoredTask,
  | 'id'
  | 'cwd'
  | 'codex_home'
  | 'codex_path'
  | 'host'
  | 'wants'
  | 'worker_id'
  | 'reason'
  | 'thread_id'
  | 'fork_of'
  | 'evidence'
>

/** Queued tasks that nobody has claimed for a while. */
export function unplacedTasks(
  db: Db,
  { queuedBefore, limit }: { queuedBefore: number; limit: number },
): Promise<UnplacedTask[]> {
  return claimable(db)
    .select(['id', 'cwd', 'codex_home', 'codex_path', 'wants', 'worker_id', 'reason', 'thread_id', 'fork_of'])
    .select(['evidence', 'host'])
    .where('queued_at', '<', queuedBefore)
    .orderBy('queued_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** In a transaction: those of these that still wait for a worker. Those that another transaction has are left out. */
export async function stillUnplaced(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  let rows = claimable(db).select('id').where('id', 'in', ids)
  if (isPostgres(db)) rows = rows.forUpdate().skipLocked()
  return new Set((await rows.execute()).map((row) => row.id))
}
