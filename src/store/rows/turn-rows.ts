import type { Insertable } from 'kysely'
import type { Db } from '../db.ts'
import type { TurnRow } from '../schema.ts'

export type TurnInsert = Insertable<TurnRow>

/** Once for each turn. Should its end be told again, the later word counts and what it used since is added. */
export async function recordTurn(db: Db, row: TurnInsert): Promise<void> {
  await db
    .insertInto('turns')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['task_id', 'turn_id']).doUpdateSet((eb) => {
        const sum = (
          name: 'input_tokens' | 'cached_input_tokens' | 'output_tokens' | 'reasoning_output_tokens',
        ) => eb(`turns.${name}`, '+', eb.ref(`excluded.${name}`))
        return {
          status: row.status,
          ended_at: row.ended_at,
          input_tokens: sum('input_tokens'),
          cached_input_tokens: sum('cached_input_tokens'),
          output_tokens: sum('output_tokens'),
          reasoning_output_tokens: sum('reasoning_output_tokens'),
        }
      }),
    )
    .execute()
}

/** Whether a turn of this thread has been recorded. */
export async function hasTurnIn(
  db: Db,
  { taskId, threadId }: { taskId: string; threadId: string | null },
): Promise<boolean> {
  const row = await db
    .selectFrom('turns')
    .select('turn_id')
    .where('task_id', '=', taskId)
    .where('thread_id', '=', threadId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether this turn of the task has ended and is on record. */
export async function isRecorded(
  db: Db,
  { taskId, turnId }: { taskId: string; turnId: string },
): Promise<boolean> {
  const recorded = await db
    .selectFrom('turns')
    .select('turn_id')
    .where('task_id', '=', taskId)
    .where('turn_id', '=', turnId)
    .executeTakeFirst()
  return recorded !== undefined
}

/** Whether the task has had this turn: it is on record, or in the log. */
export async function hasTurn(
  db: Db,
  { taskId, turnId }: { taskId: string; turnId: string },
): Promise<boolean> {
  if (await isRecorded(db, { taskId, turnId })) return true
  const logged = await db
    .selectFrom('events')
    .select('seq')
    .where('task_id', '=', taskId)
    .where('turn_id', '=', turnId)
    .limit(1)
    .executeTakeFirst()
  return logged !== undefined
}
