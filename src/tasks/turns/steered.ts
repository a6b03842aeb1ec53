// Messages that were given into a turn. codex says yes at once but keeps them to itself until the model is asked again,
// and does not notice a repetition: so nothing is sent twice, and the end of the turn tells what became of them.
import {
  type Change,
  type Db,
  messageRows,
  type StoredMessage,
  type StoredTask,
  updateMessage,
} from '../../store/index.ts'
import { completedIn, hasMessage, type Known } from '../link/index.ts'
import { messageEvent } from '../log/index.ts'
import type { Settled } from './settled.ts'

export const NOT_TAKEN_IN = 'the turn ended before codex took it in'

export interface EndedTurn {
  readonly taskId: string
  readonly turnId: string
  readonly status: Settled['status']
  /** What it has completed. */
  readonly completed: Known
  /** Messages that somebody still waits for codex's word on. */
  readonly steering: ReadonlySet<string>
}

/**
 * In the change that ends a turn: what it took in was delivered. The rest will be the next turn, or when somebody ended
 * this one, what a resume begins with.
 */
export async function placeSteered(change: Change, ended: EndedTurn): Promise<void> {
  const { taskId, turnId, status, completed, steering } = ended
  // A turn that was completed has taken in all that codex said yes to; of one that is lost, its history tells.
  const isCutOff = status !== 'completed' && status !== 'lost'
  const otherwise = status === 'interrupted' ? 'cancelled' : 'queued'
  for (const message of await messageRows(
    change.db,
    taskId,
    isCutOff ? ['sending', 'delivered'] : ['sending'],
  )) {
    if (message.mode !== 'steer' || message.turn_id !== turnId || steering.has(message.id)) continue
    const isIn = hasMessage(completed, message)
    if (!isIn || message.status === 'sending') await place(change, message, isIn ? 'delivered' : otherwise)
  }
}

/** In a change: the same for one message whose turn ended earlier. Whether it waits for the next turn now. */
export async function placeLate(change: Change, message: StoredMessage): Promise<boolean> {
  const { task_id: taskId, turn_id: turnId } = message
  const completed = turnId === null ? [] : await completedIn(change.db, taskId, turnId)
  const isIn = hasMessage(new Set(completed), message)
  return (await place(change, message, isIn ? 'delivered' : 'queued')) && !isIn
}

/** In a change: whether codex dropped one with its turn, though it said yes to it when that was being ended. */
export async function isDropped(db: Db, message: StoredMessage, { status }: StoredTask): Promise<boolean> {
  if (!['interrupted', 'timed-out', 'failed'].includes(status)) return false
  const completed = await completedIn(db, message.task_id, message.turn_id!)
  return !hasMessage(new Set(completed), message)
}

async function place(
  change: Change,
  message: StoredMessage,
  status: 'delivered' | 'queued' | 'cancelled',
): Promise<boolean> {
  const isIn = status === 'delivered'
  const turnId = isIn ? message.turn_id : null
  const columns = { status, turn_id: turnId, updated_at: change.now }
  if (!(await updateMessage(change.db, message.id, { from: [message.status], ...columns }))) return false
  const why = isIn ? null : NOT_TAKEN_IN
  change.emit(message.task_id, 'drawbridge/message', messageEvent(message, { status, turnId, why }))
  return true
}
