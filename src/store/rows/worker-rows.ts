// The workers that share a store. A worker's lease is its row: while it beats, nobody else may take what it owns, and
// once it was declared lost it can no longer write.
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db.ts'
import { databaseTime, isPostgres, locked } from '../dialect.ts'
import type { WorkerRow } from '../schema.ts'

export type StoredWorker = Selectable<WorkerRow>

/** One start of one worker. */
export interface WorkerStart {
  readonly id: string
  readonly boot: string
}

export interface WorkerFacts
  extends WorkerStart,
    Pick<StoredWorker, 'name' | 'version' | 'capacity' | 'machine' | 'url' | 'public_key'> {
  readonly labels: readonly string[]
}

export const RUNNING = ['up', 'draining']

/** Where a start runs: those of one place exclude each other by the lock of their data folder. */
export function bootIn(place: string, token: string): string {
  return `${place}.${token}`
}

function placeOf(boot: string): string {
  return boot.includes('.') ? boot.slice(0, boot.indexOf('.')) : ''
}

/**
 * Begins a start. The one before it in the same place is over, because the lock of the data folder lets only one run: it
 * owns nothing now. Returns a start of this id in another place that may still run: nothing was done then. `over`: a
 * start that was found silent.
 */
export function registerWorker(
  db: Db,
  { labels, ...facts }: WorkerFacts,
  { leaseMs, over }: { leaseMs: number; over?: string | undefined },
): Promise<StoredWorker | null> {
  const now = databaseTime(db)
  const columns = {
    ...facts,
    labels: JSON.stringify(labels),
    state: 'up',
    started_at: now,
    beat_at: now,
    lease_until: sql<number>`${now} + ${leaseMs}`,
    commits: 0,
    working: 0,
  }
  return inOne(db, async (db) => {
    const first = db
      .insertInto('workers')
      .values(columns)
      .onConflict((conflict) => conflict.doNothing())
    if ((await first.executeTakeFirst()).numInsertedOrUpdatedRows === 1n) return null
    // Locked: a transaction of the start before may still be under way.
    const known = db.selectFrom('workers').selectAll().where('id', '=', facts.id)
    const before = await locked(db, known).executeTakeFirstOrThrow()
    const isElsewhere = placeOf(before.boot) !== placeOf(facts.boot) && before.boot !== over
    if (isElsewhere && isRunning(before) && before.lease_until > (await readDatabaseTime(db))) return before
    await db.updateTable('workers').set(columns).where('id', '=', facts.id).execute()
    await disown(db, [before.boot])
    return null
  })
}

/** undefined: there is no such worker. */
export function workerRow(db: Db, id: string): Promise<StoredWorker | undefined> {
  return db.selectFrom('workers').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Renews the lease. The row as it is then, with the database's time; null: this start was declared lost, or is over. */
export async function beatWorker(
  db: Db,
  { id, boot }: WorkerStart,
  { leaseMs, working, url }: { leaseMs: number; working: number; url: string | null },
): Promise<StoredWorker | null> {
  const now = databaseTime(db)
  const row = await db
    .updateTable('workers')
    .set({ beat_at: now, lease_until: sql<number>`${now} + ${leaseMs}`, working, url })
    .where('id', '=', id)
    .where('boot', '=', boot)
    .where('state', 'in', RUNNING)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/**
 * First in every transaction of a worker: counts it, and locks the worker's row, so that it cannot be declared lost meanwhile.
 * `committed`: there was such a transaction, and only its reply was lost. `lost`: this start may no longer write.
 */
export async function countCommit(
  db: Db,
  { id, boot }: WorkerStart,
  commit: number,
): Promise<'open' | 'committed' | 'lost'> {
  // Waits for a transaction of ours that the server has not ended yet.
  const { numUpdatedRows } = await db
    .updateTable('workers')
    .set({ commits: commit })
    .where('id', '=', id)
    .where('boot', '=', boot)
    .where('state', 'in', RUNNING)
    .where('commits', '=', commit - 1)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return 'open'
  const found = await db
    .selectFrom('workers')
    .select('commits')
    .where('id', '=', id)
    .where('boot', '=', boot)
    .executeTakeFirst()
  return found?.commits === commit ? 'committed' : 'lost'
}

/** By a person: it takes no new tasks, or does again. undefined: there is no such worker, or it does not run. */
export function setDraining(db: Db, id: string, isDraining: boolean): Promise<StoredWorker | undefined> {
  return db
    .updateTable('workers')
    .set({ state: isDraining ? 'draining' : 'up' })
    .where('id', '=', id)
    .where('state', 'in', RUNNING)
    .returningAll()
    .executeTakeFirst()
}

/** By itself, at its end: its tasks have no owner until it comes back. */
export function stopWorker(db: Db, { id, boot }: WorkerStart): Promise<void> {
  return inOne(db, async (db) => {
    const stopped = await db
      .updateTable('workers')
      .set({ state: 'stopped', working: 0, beat_at: databaseTime(db) })
      .where('id', '=', id)
      .where('boot', '=', boot)
      .where('state', 'in', RUNNING)
      .executeTakeFirst()
    if (stopped.numUpdatedRows > 0n) await disown(db, [boot])
  })
}

/**
 * Declares those lost whose lease has run out. Returns them; their tasks have no owner from here on. `except`: who says so
 * is there, however long it was frozen.
 */
export function loseWorkers(db: Db, { except }: { except?: string } = {}): Promise<StoredWorker[]> {
  return inOne(db, async (db) => {
    let silent = db
      .selectFrom('workers')
      .select(['id', 'boot'])
      .where('state', 'in', RUNNING)
      .where('lease_until', '<', databaseTime(db))
    if (except !== undefined) silent = silent.where('id', '!=', except)
    // One in the middle of a transaction is not silent.
    if (isPostgres(db)) silent = silent.forUpdate().skipLocked()
    const rows = await silent.execute()
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const boots = rows.map(({ boot }) => boot)
    await disown(db, boots)
    return db.updateTable('workers').set({ state: 'lost' }).where('id', 'in', ids).returningAll().execute()
  })
}

function inOne<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}

async function disown(db: Db, boots: readonly string[]): Promise<void> {
  await db.updateTable('tasks').set({ lease_boot: null }).where('lease_boot', 'in', boots).execute()
}

/** A worker with what is counted of it. */
export interface ListedWorker extends StoredWorker {
  /** Its tasks that have not ended. */
  readonly task_count: number
  /** The database's clock when this was read. */
  readonly read_at: number
}

/** Those that run first, then by name. */
export async function listWorkers(db: Db): Promise<ListedWorker[]> {
  const rows = await db
    .selectFrom('workers')
    .selectAll('workers')
    .select((eb) => [
      eb
        .selectFrom('tasks')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('tasks.worker_id', '=', 'workers.id')
        .where('tasks.ended_at', 'is', null)
        .$asScalar()
        .as('task_count'),
      databaseTime(db).as('read_at'),
    ])
    .orderBy('name')
    .orderBy('id')
    .execute()
  const listed = rows.map((row) => ({
    ...row,
    task_count: Number(row.task_count),
    read_at: Number(row.read_at),
  }))
  return [...listed.filter(isRunning), ...listed.filter((row) => !isRunning(row))]
}

export function isRunning({ state }: Pick<StoredWorker, 'state'>): boolean {
  return RUNNING.includes(state)
}

/** The database's clock. */
export async function readDatabaseTime(db: Db): Promise<number> {
  const { rows } = await sql<{ at: number }>`select ${databaseTime(db)} as at`.execute(db)
  return Number(rows[0]!.at)
}

/** Whether exactly this start still runs. */
export async function isWorkerUp(db: Db, { id, boot }: WorkerStart): Promise<boolean> {
  const row = await db
    .selectFrom('workers')
    .select('id')
    .where('id', '=', id)
    .where('boot', '=', boot)
    .where('state', 'in', RUNNING)
    .executeTakeFirst()
  return row !== undefined
}
