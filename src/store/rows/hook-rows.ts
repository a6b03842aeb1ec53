// Runs of hooks.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '../db.ts'
import type { HookRunRow } from '../hook-schema.ts'

export type StoredHookRun = Selectable<HookRunRow>

/** Those that are on record already stay as they are. */
export async function insertHookRuns(db: Db, rows: readonly Insertable<HookRunRow>[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('hook_runs')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Of one task, in the order in which they run. */
export function hookRunsOfTask(db: Db, taskId: string): Promise<StoredHookRun[]> {
  return db
    .selectFrom('hook_runs')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('created_at')
    .orderBy('position')
    .orderBy('id')
    .execute()
}

/** Of all tasks that this worker has; null on SQLite. */
export function hookRunsIn(
  db: Db,
  { states, workerId }: { readonly states: readonly string[]; readonly workerId: string | null },
): Promise<StoredHookRun[]> {
  return db
    .selectFrom('hook_runs')
    .selectAll()
    .where('state', 'in', states)
    .where('worker_id', workerId === null ? 'is' : '=', workerId)
    .orderBy('created_at')
    .orderBy('position')
    .orderBy('id')
    .execute()
}

/** False: it is in none of these states any more. */
export async function updateHookRun(
  db: Db,
  id: string,
  { from, ...change }: { readonly from: readonly string[] } & Updateable<HookRunRow>,
): Promise<boolean> {
  const changed = await db
    .updateTable('hook_runs')
    .set(change)
    .where('id', '=', id)
    .where('state', 'in', from)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}
