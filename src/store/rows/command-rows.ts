// What workers ask of each other. A command is begun at most once, by exactly the start it was sent to.
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db.ts'
import { databaseTime, isPostgres } from '../dialect.ts'
import type { CommandRow } from '../schema.ts'
import type { WorkerStart } from './worker-rows.ts'

export type StoredCommand = Selectable<CommandRow>

export async function insertCommand(
  db: Db,
  command: Pick<StoredCommand, 'id' | 'worker_id' | 'boot' | 'sent_by' | 'name' | 'task_id' | 'sealed'>,
  { validMs }: { validMs: number },
): Promise<void> {
  const now = databaseTime(db)
  const times = { created_at: now, expires_at: sql<number>`${now} + ${validMs}` }
  await db
    .insertInto('commands')
    .values({ ...command, state: 'new', outcome: null, ...times })
    .execute()
}

/** Those for this start that have not expired, oldest first; they are its to carry out. */
export async function takeCommands(
  db: Db,
  { id, boot }: WorkerStart,
  { limit }: { limit: number },
): Promise<StoredCommand[]> {
  let fresh = db
    .selectFrom('commands')
    .select('id')
    .where('worker_id', '=', id)
    .where('state', '=', 'new')
    .where('boot', '=', boot)
    .where('expires_at', '>', databaseTime(db))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
  if (isPostgres(db)) fresh = fresh.forUpdate().skipLocked()
  const ids = (await fresh.execute()).map((row) => row.id)
  if (ids.length === 0) return []
  const rows = await db
    .updateTable('commands')
    .set({ state: 'taken' })
    .where('id', 'in', ids)
    .returningAll()
    .execute()
  return rows.sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
}

export async function finishCommand(db: Db, id: string, outcome: string): Promise<void> {
  await db
    .updateTable('commands')
    .set({ state: 'done', outcome, sealed: null })
    .where('id', '=', id)
    .where('state', '=', 'taken')
    .execute()
}

/** False: it has been taken already. */
export async function cancelCommand(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('commands')
    .set({ state: 'cancelled', sealed: null })
    .where('id', '=', id)
    .where('state', '=', 'new')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export function commandRow(db: Db, id: string): Promise<StoredCommand | undefined> {
  return db.selectFrom('commands').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Those that are over for so long, and those whose worker never took them. Returns how many. */
export async function forgetCommands(db: Db, { olderThanMs }: { olderThanMs: number }): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('commands')
    .where(({ eb }) => eb(eb('created_at', '+', olderThanMs), '<', databaseTime(db) as never))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
