// Who works on a shared store, and the lease protocol: a task is owned by one start of one worker at a time, and a worker
// that was declared lost cannot write. Every function is one step of a transaction; the row of the worker is locked first.
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db.ts'
import { databaseTime, isPostgres } from '../dialect.ts'
import type { WorkerRow } from '../schema.ts'
import type { StoredTask } from './task-rows.ts'

export type StoredWorker = Selectable<WorkerRow>

/** One start of one worker. */
export interface WorkerStart {
  readonly id: string
  readonly boot: string
}

export interface WorkerFacts extends WorkerStart, Pick<WorkerRow, 'name' | 'version' | 'capacity'> {
  readonly labels: readonly string[]
}

const RUNNING = ['up', 'draining']

/** Begins a start. The one before it is over: the lock of the data folder lets only one run. */
export async function registerWorker(
  db: Db,
  { labels, ...facts }: WorkerFacts,
  { leaseMs }: { leaseMs: number },
): Promise<void> {
  const now = databaseTime(db)
  const columns = {
    ...facts,
    labels: JSON.stringify(labels),
    state: 'up',
    started_at: now,
    beat_at: now,
    lease_until: sql<number>`${now} + ${leaseMs}`,
    commits: 0,
  }
  await db
    .insertInto('workers')
    .values(columns)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
    .execute()
}

/** Renews the lease. False: this start was declared lost, or is over. */
export async function beatWorker(
  db: Db,
  { id, boot }: WorkerStart,
  { leaseMs }: { leaseMs: number },
): Promise<boolean> {
  const now = databaseTime(db)
  const { numUpdatedRows } = await db
    .updateTable('workers')
    .set({ beat_at: now, lease_until: sql<number>`${now} + ${leaseMs}` })
    .where('id', '=', id)
    .where('boot', '=', boot)
    .where('state', 'in', RUNNING)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * First in every transaction of a worker: counts it, and locks the worker's row, so that it cannot be declared lost meanwhile.
 * False: this start may no longer write.
 */
export async function countCommit(db: Db, { id, boot }: WorkerStart, commit: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('workers')
    .set({ commits: commit })
    .where('id', '=', id)
    .where('boot', '=', boot)
    .where('state', 'in', RUNNING)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The number of its last committed transaction; null when this start may no longer write. */
export async function lastCommit(db: Db, { id, boot }: WorkerStart): Promise<number | null> {
  const row = await db
    .selectFrom('workers')
    .select('commits')
    .where('id', '=', id)
    .where('boot', '=', boot)
    .where('state', 'in', RUNNING)
    .executeTakeFirst()
  return row?.commits ?? null
}

/** `draining` or `stopped`, by itself or by a person. */
export async function setWorkerState(
  db: Db,
  id: string,
  state: 'up' | 'draining' | 'stopped',
): Promise<void> {
  await db.updateTable('workers').set({ state }).where('id', '=', id).where('state', 'in', RUNNING).execute()
}

/** Declares those lost whose lease has run out. Returns them; their tasks have no owner from here on. */
export async function loseWorkers(db: Db): Promise<StoredWorker[]> {
  let silent = db
    .selectFrom('workers')
    .select('id')
    .where('state', 'in', RUNNING)
    .where('lease_until', '<', databaseTime(db))
  // One in the middle of a transaction is not silent.
  if (isPostgres(db)) silent = silent.forUpdate().skipLocked()
  const ids = (await silent.execute()).map(({ id }) => id)
  if (ids.length === 0) return []
  await db.updateTable('tasks').set({ lease_boot: null }).where('worker_id', 'in', ids).execute()
  return db.updateTable('workers').set({ state: 'lost' }).where('id', 'in', ids).returningAll().execute()
}

/** Claims queued tasks without an owner that this worker may run, in the order of the queue. */
export async function claimTasks(
  db: Db,
  { id, boot, labels }: Pick<WorkerFacts, 'id' | 'boot' | 'labels'>,
  { limit }: { limit: number },
): Promise<StoredTask[]> {
  let free = db
    .selectFrom('tasks')
    .select('id')
    .where('status', '=', 'queued')
    .where('lease_boot', 'is', null)
    .where(({ or, eb }) => or([eb('worker_id', 'is', null), eb('worker_id', '=', id)]))
    .where(({ or, eb }) => or([eb('wants', 'is', null), eb('wants', 'in', [id, ...labels])]))
    .orderBy('queued_at')
    .orderBy('id')
    .limit(limit)
  if (isPostgres(db)) free = free.forUpdate().skipLocked()
  const ids = (await free.execute()).map((row) => row.id)
  return ids.length === 0 ? [] : own(db, ids, { id, boot })
}

/** After a restart: what an earlier start of this worker owned. */
export async function takeBackTasks(db: Db, { id, boot }: WorkerStart): Promise<StoredTask[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('worker_id', '=', id)
    .where('lease_boot', 'is not', null)
    .where('lease_boot', '!=', boot)
    .execute()
  return rows.length === 0
    ? []
    : own(
        db,
        rows.map((row) => row.id),
        { id, boot },
      )
}

/** Whether this start still owns a task, at this generation. Locks the row: it stays so until the transaction ends. */
export async function ownsTask(
  db: Db,
  taskId: string,
  { boot, generation }: Pick<WorkerStart, 'boot'> & { generation: number },
): Promise<boolean> {
  let row = db.selectFrom('tasks').select(['lease_boot', 'lease_generation']).where('id', '=', taskId)
  if (isPostgres(db)) row = row.forUpdate()
  const found = await row.executeTakeFirst()
  return found?.lease_boot === boot && found.lease_generation === generation
}

/** The task has nothing to do: anyone who may run it can claim it when it has. */
export async function releaseTask(
  db: Db,
  taskId: string,
  { boot, generation }: Pick<WorkerStart, 'boot'> & { generation: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set({ lease_boot: null })
    .where('id', '=', taskId)
    .where('lease_boot', '=', boot)
    .where('lease_generation', '=', generation)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function own(db: Db, ids: readonly string[], { id, boot }: WorkerStart): Promise<StoredTask[]> {
  const rows = await db
    .updateTable('tasks')
    .set((eb) => ({ worker_id: id, lease_boot: boot, lease_generation: eb('lease_generation', '+', 1) }))
    .where('id', 'in', ids)
    .returningAll()
    .execute()
  return rows.sort((a, b) => (a.queued_at ?? 0) - (b.queued_at ?? 0) || (a.id < b.id ? -1 : 1))
}
