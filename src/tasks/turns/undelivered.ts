// What becomes of a message, and of its task, when codex never had it.
import { redact, toFailure } from '../../codex/index.ts'
import {
  type Change,
  type EventLog,
  messageRows,
  type StoredMessage,
  type StoredTask,
  updateMessage,
} from '../../store/index.ts'
import { changeStatus, messageEvent, queued, type StatusChange } from '../log/index.ts'

interface Parts {
  readonly log: EventLog
}

/** The message was taken back, or the task interrupted, before codex had it. */
export async function takeBack(message: StoredMessage, { log }: Parts): Promise<void> {
  await log.change((change) => takeBackIn(change, message))
}

/** In a change: the same. */
export async function takeBackIn(change: Change, message: StoredMessage): Promise<void> {
  const taskId = message.task_id
  const columns = { status: 'cancelled', updated_at: change.now }
  if (await updateMessage(change.db, message.id, { from: ['queued'], ...columns }))
    change.emit(taskId, 'drawbridge/message', messageEvent(message, { status: 'cancelled', turnId: null }))
  const [next] = await messageRows(change.db, taskId, ['queued'])
  await changeStatus(change, taskId, next ? queued(change.now, { reason: NEXT }) : INTERRUPTED)
}

/** In a change: a start that failed is tried again, unless its message was taken back meanwhile. */
export async function queueAgain(change: Change, taskId: string, again: StatusChange): Promise<void> {
  const [next] = await messageRows(change.db, taskId, ['queued'])
  await changeStatus(change, taskId, next ? again : { ...INTERRUPTED, more: { turn_id: null } })
}

/** A turn that was begun elsewhere runs: the message waits for its end. */
export async function putBack(
  { row, message }: { row: StoredTask; message: StoredMessage },
  { log }: Parts,
): Promise<void> {
  await log.change(async (change) => {
    const columns = { status: 'queued', updated_at: change.now }
    await updateMessage(change.db, message.id, { from: ['sending'], ...columns })
    const reason = 'it waits for the turn that was begun elsewhere'
    await queueAgain(change, row.id, queued(row.queued_at ?? change.now, { reason }))
  })
}

/** It could not be delivered, and is not tried again by itself. */
export async function giveUp(message: StoredMessage, error: unknown, { log }: Parts): Promise<void> {
  await log.change(async (change) => {
    const why = redact(toFailure(error).message)
    // The input stays: it is what a resume begins with.
    const columns = { status: 'failed', updated_at: change.now }
    if (!(await updateMessage(change.db, message.id, { from: ['queued', 'sending'], ...columns }))) return
    change.emit(
      message.task_id,
      'drawbridge/message',
      messageEvent(message, { status: 'failed', turnId: null, why }),
    )
  })
}

const NEXT = 'the next message waits for its turn'
const INTERRUPTED: StatusChange = { status: 'interrupted', reason: 'it was interrupted before codex had it' }
