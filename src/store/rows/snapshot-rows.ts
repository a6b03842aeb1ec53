// Snapshots of tasks.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '../db.ts'
import type { SnapshotRow } from '../workspace-schema.ts'

export type StoredSnapshot = Selectable<SnapshotRow>

export async function insertSnapshot(db: Db, row: Insertable<SnapshotRow>): Promise<void> {
  await db.insertInto('snapshots').values(row).execute()
}

export function snapshotRow(db: Db, id: string): Promise<StoredSnapshot | undefined> {
  return db.selectFrom('snapshots').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Whether any was taken or came here, or is to be taken. */
export async function hasSnapshots(db: Db): Promise<boolean> {
  const taken = await db.selectFrom('snapshots').select('id').limit(1).executeTakeFirst()
  if (taken) return true
  const asked = db.selectFrom('tasks').select('id').where('snapshots', 'is not', null)
  return (await asked.limit(1).executeTakeFirst()) !== undefined
}

/** Newest first. */
export function snapshotsOfTask(db: Db, taskId: string): Promise<StoredSnapshot[]> {
  return db
    .selectFrom('snapshots')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export function newestSnapshots(db: Db, limit: number): Promise<StoredSnapshot[]> {
  return db
    .selectFrom('snapshots')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** In these states, whatever task they are of. */
export function snapshotsIn(db: Db, states: readonly string[]): Promise<StoredSnapshot[]> {
  return db.selectFrom('snapshots').selectAll().where('state', 'in', states).orderBy('created_at').execute()
}

/** False: it is in none of these states any more. */
export async function updateSnapshot(
  db: Db,
  id: string,
  { from, ...change }: { readonly from: readonly string[] } & Updateable<SnapshotRow>,
): Promise<boolean> {
  const changed = await db
    .updateTable('snapshots')
    .set(change)
    .where('id', '=', id)
    .where('state', 'in', from)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

export async function deleteSnapshot(db: Db, id: string): Promise<void> {
  await db.deleteFrom('snapshots').where('id', '=', id).execute()
}

/** Tasks that want snapshots by themselves and have had turns since their last one. */
export function tasksToSnapshot(
  db: Db,
): Promise<
  { id: string; status: string; turn_count: number; snapshots: string | null; newest: number | null }[]
> {
  return db
    .selectFrom('tasks')
    .leftJoin('snapshots', 'snapshots.task_id', 'tasks.id')
    .select(['tasks.id', 'tasks.status', 'tasks.turn_count', 'tasks.snapshots'])
    .select(({ fn }) => fn.max('snapshots.turn_count').as('newest'))
    .where('tasks.snapshots', 'is not', null)
    .where('tasks.turn_count', '>', 0)
    .groupBy(['tasks.id', 'tasks.status', 'tasks.turn_count', 'tasks.snapshots'])
    .execute()
}
