// What becomes of a message, and of its task, when codex never had it.
import { redact, toFailure } from '../codex/index.ts'
import { type EventLog, messageRows, type StoredMessage, updateMessage } from '../store/index.ts'
import { messageEvent } from './message-event.ts'
import { changeStatus, type StatusChange } from './task-status.ts'

interface Parts {
  readonly log: EventLog
  readonly now: () => number
}

/** The message was taken back, or the task interrupted, before codex had it. */
export async function takeBack(message: StoredMessage, { log, now }: Parts): Promise<void> {
  const taskId = message.task_id
  await log.write(async (db, record) => {
    const change = { status: 'cancelled', updated_at: now() }
    if (await updateMessage(db, message.id, { from: ['queued'], ...change }))
      record(taskId, 'drawbridge/message', messageEvent(message, { status: 'cancelled', turnId: null }))
    const [next] = await messageRows(db, taskId, ['queued'])
    await changeStatus({ db, record, now: now() }, taskId, next ? QUEUED(now()) : INTERRUPTED)
  })
}

/** It could not be delivered, and is not tried again by itself. */
export async function giveUp(message: StoredMessage, error: unknown, { log, now }: Parts): Promise<void> {
  await log.write(async (db, record) => {
    const why = redact(toFailure(error).message)
    // The input stays: it is what a resume begins with.
    const change = { status: 'failed', updated_at: now() }
    if (!(await updateMessage(db, message.id, { from: ['queued', 'sending'], ...change }))) return
    record(
      message.task_id,
      'drawbridge/message',
      messageEvent(message, { status: 'failed', turnId: null, why }),
    )
  })
}

const QUEUED = (now: number): StatusChange => ({
  status: 'queued',
  reason: 'the next message waits for its turn',
  more: { queued_at: now },
})
const INTERRUPTED: StatusChange = { status: 'interrupted', reason: 'it was interrupted before codex had it' }
