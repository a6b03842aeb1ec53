// Messages that were on their way into a turn when the connection broke. codex keeps what it was told to itself until the
// model is asked again, and does not notice a repetition: so nothing is sent twice. The end of the turn tells.
import type { Kysely } from 'kysely'
import type { Record } from './event-log.ts'
import { hasMessage, type Known } from './history.ts'
import { messageEvent } from './message-event.ts'
import { completedIn } from './store/event-rows.ts'
import { messageRows, type StoredMessage, updateMessage } from './store/message-rows.ts'
import type { Database } from './store/schema.ts'

type Db = Kysely<Database>

interface InChange {
  readonly db: Db
  readonly record: Record
  readonly now: number
}

export interface EndedTurn {
  readonly taskId: string
  readonly turnId: string
  /** What it has completed. */
  readonly completed: Known
  /** Messages that somebody still waits for codex's word on. */
  readonly steering: ReadonlySet<string>
}

/** In the change that ends a turn: what it took in was delivered; the rest will be the next turn. */
export async function placeSteered(
  change: InChange,
  { taskId, turnId, completed, steering }: EndedTurn,
): Promise<void> {
  for (const message of await messageRows(change.db, taskId, ['sending']))
    if (message.mode === 'steer' && message.turn_id === turnId && !steering.has(message.id))
      await place(change, message, hasMessage(completed, message))
}

/** In a change: the same for one message whose turn ended earlier. Whether it waits for the next turn now. */
export async function placeLate(change: InChange, message: StoredMessage): Promise<boolean> {
  const { task_id: taskId, turn_id: turnId } = message
  const completed = turnId === null ? [] : await completedIn(change.db, taskId, turnId)
  const isIn = hasMessage(new Set(completed), message)
  return (await place(change, message, isIn)) && !isIn
}

async function place({ db, record, now }: InChange, message: StoredMessage, isIn: boolean): Promise<boolean> {
  const status = isIn ? 'delivered' : 'queued'
  const turnId = isIn ? message.turn_id : null
  const change = { status, turn_id: turnId, updated_at: now }
  if (!(await updateMessage(db, message.id, { from: ['sending'], ...change }))) return false
  const why = isIn ? null : 'the turn ended before codex took it in'
  record(message.task_id, 'drawbridge/message', messageEvent(message, { status, turnId, why }))
  return true
}
