import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '../db.ts'
import type { MessageRow } from '../schema.ts'

export type StoredMessage = Selectable<MessageRow>

export async function insertMessage(db: Db, row: Insertable<MessageRow>): Promise<void> {
  await db.insertInto('messages').values(row).execute()
}

/** False when it is no longer what it was thought to be. */
export async function updateMessage(
  db: Db,
  id: string,
  { from, ...change }: Updateable<MessageRow> & { from: readonly string[] },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('messages')
    .set(change)
    .where('id', '=', id)
    .where('status', 'in', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export function messageRow(db: Db, id: string): Promise<StoredMessage | undefined> {
  return db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst()
}

export function messageByClientId(
  db: Db,
  taskId: string,
  clientId: string,
): Promise<StoredMessage | undefined> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
}

/** In the order they came in. */
export function messageRows(db: Db, taskId: string, statuses: readonly string[]): Promise<StoredMessage[]> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('status', 'in', statuses)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function messageActors(db: Db, taskId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('messages')
    .select('actor')
    .distinct()
    .where('task_id', '=', taskId)
    .orderBy('actor')
    .execute()
  return rows.map(({ actor }) => actor)
}

/** Those a turn was given. */
export function messagesOfTurn(db: Db, taskId: string, turnId: string): Promise<StoredMessage[]> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('turn_id', '=', turnId)
    .where('status', '=', 'delivered')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** What was given up before a later message was delivered is never sent again. */
export async function forgetInputs(db: Db, taskId: string, { before }: { before: number }): Promise<void> {
  await db
    .updateTable('messages')
    .set({ input: null })
    .where('task_id', '=', taskId)
    .where('status', 'in', ['failed', 'cancelled'])
    .where('created_at', '<', before)
    .execute()
}

/** Tasks that have messages codex may not have got. */
export async function tasksWithMessages(db: Db, statuses: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('messages')
    .select('task_id')
    .distinct()
    .where('status', 'in', statuses)
    .orderBy('task_id')
    .execute()
  return rows.map(({ task_id }) => task_id)
}
