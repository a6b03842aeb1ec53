// Files that were given to tasks.
import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../db.ts'
import type { UploadRow } from '../upload-schema.ts'

export type StoredUpload = Selectable<UploadRow>

export async function insertUploads(db: Db, rows: readonly Insertable<UploadRow>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('uploads').values(rows).execute()
}

/** In the order they came in. */
export function uploadRows(db: Db, taskId: string): Promise<StoredUpload[]> {
  return db
    .selectFrom('uploads')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** undefined: there is no such one, or a message tells of it. */
export function deleteUntold(db: Db, taskId: string, id: string): Promise<StoredUpload | undefined> {
  return db
    .deleteFrom('uploads')
    .where('task_id', '=', taskId)
    .where('id', '=', id)
    .where((where) =>
      where.or([where('message_id', 'is', null), where('message_id', 'in', givenUp(db, taskId))]),
    )
    .returningAll()
    .executeTakeFirst()
}

/** Messages that never reached the model. */
function givenUp(db: Db, taskId: string) {
  return db
    .selectFrom('messages')
    .select('id')
    .where('task_id', '=', taskId)
    .where('status', 'in', ['failed', 'cancelled'])
}

/** Those that no message tells of, or only one that never reached the model. From now on this message does. */
export async function takeUntold(
  db: Db,
  taskId: string,
  { messageId }: { messageId: string },
): Promise<StoredUpload[]> {
  const rows = await uploadRows(db, taskId)
  if (rows.length === 0) return []
  const taken = await db
    .updateTable('uploads')
    .set({ message_id: messageId })
    .where('task_id', '=', taskId)
    .where((where) =>
      where.or([where('message_id', 'is', null), where('message_id', 'in', givenUp(db, taskId))]),
    )
    .returning('id')
    .execute()
  const ids = new Set(taken.map(({ id }) => id))
  return rows.filter(({ id }) => ids.has(id))
}

/** Of these, those that there still are. */
export async function tasksThatAre(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (let at = 0; at < ids.length; at += 500) {
    const rows = await db
      .selectFrom('tasks')
      .select('id')
      .where('id', 'in', ids.slice(at, at + 500))
      .execute()
    for (const { id } of rows) found.add(id)
  }
  return found
}
