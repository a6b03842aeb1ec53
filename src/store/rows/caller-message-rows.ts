// Messages of the model to the program that embeds Drawbridge.
import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../db.ts'
import type { CallerMessageRow } from '../handover-schema.ts'

export type StoredCallerMessage = Selectable<CallerMessageRow>

type CallerMessageStatus = 'sent' | 'answered'

export async function insertCallerMessage(db: Db, row: Insertable<CallerMessageRow>): Promise<void> {
  await db.insertInto('caller_messages').values(row).execute()
}

export function callerMessageRow(
  db: Db,
  taskId: string,
  id: string,
): Promise<StoredCallerMessage | undefined> {
  return db
    .selectFrom('caller_messages')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The newest, in order. */
export async function callerMessageRows(
  db: Db,
  taskId: string,
  { limit, status }: { readonly limit: number; readonly status?: CallerMessageStatus | undefined },
): Promise<StoredCallerMessage[]> {
  let found = db.selectFrom('caller_messages').selectAll().where('task_id', '=', taskId)
  if (status !== undefined) found = found.where('status', '=', status)
  const rows = await found.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.reverse()
}

export async function countCallerMessages(db: Db, taskId: string): Promise<number> {
  const { count } = await db
    .selectFrom('caller_messages')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('task_id', '=', taskId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The first answer wins. undefined: it had one. */
export function answerCallerMessage(
  db: Db,
  id: string,
  answer: Pick<StoredCallerMessage, 'answer' | 'actor' | 'answered_at'>,
): Promise<StoredCallerMessage | undefined> {
  return db
    .updateTable('caller_messages')
    .set({ ...answer, status: 'answered' })
    .where('id', '=', id)
    .where('status', '=', 'sent')
    .returningAll()
    .executeTakeFirst()
}
