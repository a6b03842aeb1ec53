// Files that the model handed over.
import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../db.ts'
import type { DeliverableRow } from '../handover-schema.ts'

export type StoredDeliverable = Selectable<DeliverableRow>

export async function insertDeliverable(db: Db, row: Insertable<DeliverableRow>): Promise<void> {
  await db.insertInto('deliverables').values(row).execute()
}

/** In the order they were handed over. */
export function deliverableRows(db: Db, taskId: string): Promise<StoredDeliverable[]> {
  return db.selectFrom('deliverables').selectAll().where('task_id', '=', taskId).orderBy('number').execute()
}

export function deliverableRow(
  db: Db,
  taskId: string,
  number: number,
): Promise<StoredDeliverable | undefined> {
  return db
    .selectFrom('deliverables')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('number', '=', number)
    .executeTakeFirst()
}

/** The first answer wins. undefined: it had one. */
export function answerDeliverable(
  db: Db,
  id: string,
  answer: Pick<StoredDeliverable, 'status' | 'words' | 'actor' | 'answered_at'>,
): Promise<StoredDeliverable | undefined> {
  return db
    .updateTable('deliverables')
    .set(answer)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
}
