// Messages to a task: the next turn, or into the one that runs. On disk before codex hears of them, and sent once.
import type { Kysely } from 'kysely'
import { StaleTurnError, type TurnInput } from '../codex/index.ts'
import type { Approvals } from './approvals.ts'
import type { EventLog, Record } from './event-log.ts'
import { messageEvent } from './message-event.ts'
import { checkPreset, newMessage } from './new-task.ts'
import type { Runs } from './runs.ts'
import {
  insertMessage,
  messageByClientId,
  messageRow,
  messageRows,
  type StoredMessage,
  toMessage,
  updateMessage,
} from './store/message-rows.ts'
import type { Database } from './store/schema.ts'
import { type StoredTask, taskRow, updateTask } from './store/task-rows.ts'
import { hasEnded, type TaskStatus } from './task.ts'
import { TaskError } from './task-errors.ts'
import type { Message, SendMessage } from './task-service.ts'
import { changeStatus } from './task-status.ts'

type Db = Kysely<Database>

export interface MessagesParts {
  readonly log: EventLog
  readonly runs: Runs
  readonly approvals: Approvals
  readonly now: () => number
}

export class Messages {
  readonly #parts: MessagesParts

  constructor(parts: MessagesParts) {
    this.#parts = parts
  }

  async send(taskId: string, message: SendMessage, { actor }: { actor: string }): Promise<Message> {
    checkPreset(message.overrides?.preset)
    const { row, isNew } = await this.#parts.log.write((db, record) =>
      this.#put([db, record], taskId, { ...message, actor }),
    )
    if (!isNew) return toMessage(row)
    if (message.mode === 'steer') return this.#steerOrFail(row, message.input)
    this.#parts.runs.wake(taskId)
    return toMessage(row)
  }

  /** In a change: a message that will be the task's next turn. */
  async queue(
    [db, record]: [Db, Record],
    task: StoredTask,
    message: {
      input: TurnInput
      actor: string
      overrides?: unknown
      clientId?: string | undefined
      /** It answers one question in a message; others stay. */
      isAnswer?: boolean
    },
  ): Promise<StoredMessage> {
    const now = this.#parts.now()
    const row = { ...newMessage(task.id, { ...message, mode: 'queue', now }) } as StoredMessage
    await insertMessage(db, row)
    record(task.id, 'drawbridge/message', messageEvent(row, { status: 'queued', turnId: null }))
    const why = 'another message was sent instead'
    if (!message.isAnswer)
      await this.#parts.approvals.withdrawAll([db, record], { taskId: task.id, why, isAsync: true })
    const isWaitingForNobody = task.status === 'waiting' && task.turn_id === null
    if (hasEnded(task.status as TaskStatus) || isWaitingForNobody)
      await changeStatus({ db, record, now }, task.id, {
        status: 'queued',
        reason: 'it waits for its turn',
        more: { queued_at: now, archived_at: null },
      })
    return row
  }

  /** In a change: the answer to a question in a message, into the turn that runs, else the next one. Returns how to send it. */
  async putAnswer(
    [db, record]: [Db, Record],
    taskId: string,
    { input, actor }: { input: TurnInput; actor: string },
  ): Promise<() => Promise<void>> {
    const task = await taskRow(db, taskId)
    if (!task) return async () => {}
    if (task.turn_id === null) {
      await this.queue([db, record], task, { input, actor, isAnswer: true })
      return async () => this.#parts.runs.wake(taskId)
    }
    const row = await this.#insertSteer(db, taskId, { input, actor })
    return async () => {
      await this.#steer(row, input).catch(() => this.#queueInstead(row))
    }
  }

  async cancel(taskId: string, messageId: string, { actor }: { actor: string }): Promise<Message> {
    const { log, now } = this.#parts
    return log.write(async (db, record) => {
      const message = await messageRow(db, messageId)
      if (!message || message.task_id !== taskId)
        throw new TaskError('message-not-found', `task ${taskId} has no message ${messageId}`)
      const change = { status: 'cancelled', input: null, updated_at: now() }
      if (!(await updateMessage(db, messageId, { from: ['queued'], ...change })))
        throw new TaskError('not-running', `the message is ${message.status}: it can no longer be taken back`)
      const why = `taken back by ${actor}`
      record(taskId, 'drawbridge/message', messageEvent(message, { status: 'cancelled', turnId: null, why }))
      await this.#settleEmpty([db, record], taskId)
      return toMessage({ ...message, ...change, turn_id: null })
    })
  }

  /** In a change: a queued task that has nothing left to do was interrupted. */
  async #settleEmpty([db, record]: [Db, Record], taskId: string): Promise<void> {
    const task = await taskRow(db, taskId)
    const waiting = await messageRows(db, taskId, ['queued', 'sending'])
    if (task?.status !== 'queued' || waiting.length > 0) return
    this.#parts.runs.get(taskId)?.cancel.abort(new DOMException('nothing is left to do', 'AbortError'))
    await changeStatus({ db, record, now: this.#parts.now() }, taskId, {
      status: 'interrupted',
      reason: 'it was taken out of the queue',
      more: { queued_at: null },
    })
  }

  async #put(
    [db, record]: [Db, Record],
    taskId: string,
    message: SendMessage & { actor: string },
  ): Promise<{ row: StoredMessage; isNew: boolean }> {
    const task = await taskRow(db, taskId)
    if (!task) throw new TaskError('task-not-found', `there is no task ${taskId}`)
    const { clientMessageId: clientId, overrides, input, actor, mode } = message
    const earlier = clientId === undefined ? undefined : await messageByClientId(db, taskId, clientId)
    if (earlier) return { row: earlier, isNew: false }
    if (overrides?.preset !== undefined) await updateTask(db, taskId, { preset: overrides.preset })
    if (mode === 'queue')
      return { row: await this.queue([db, record], task, { input, actor, overrides, clientId }), isNew: true }
    if (task.turn_id === null) throw nothingToSteer(task)
    return { row: await this.#insertSteer(db, taskId, { input, actor, clientId }), isNew: true }
  }

  async #insertSteer(
    db: Db,
    taskId: string,
    message: { input: TurnInput; actor: string; clientId?: string | undefined },
  ): Promise<StoredMessage> {
    const row = newMessage(taskId, { ...message, mode: 'steer', now: this.#parts.now() })
    const sending = { ...row, status: 'sending' } as StoredMessage
    await insertMessage(db, sending)
    return sending
  }

  async #steer(row: StoredMessage, input: TurnInput): Promise<Message> {
    const thread = this.#parts.runs.get(row.task_id)?.thread
    if (!thread) throw new TaskError('not-running', 'the task is just being opened: try again')
    const steered = await thread.steer(input, { whenStale: 'error', clientMessageId: row.id })
    const turnId = 'turn' in steered ? steered.turn.id : null
    return this.#settle(row, { status: 'delivered', turnId, why: null })
  }

  async #steerOrFail(row: StoredMessage, input: TurnInput): Promise<Message> {
    try {
      return await this.#steer(row, input)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      await this.#settle(row, { status: 'failed', turnId: null, why })
      if (error instanceof StaleTurnError)
        throw new TaskError('not-running', 'the turn has just ended: send it as the next one')
      throw error
    }
  }

  /** The turn ended before it could be steered: it is the next one. */
  async #queueInstead(row: StoredMessage): Promise<void> {
    const { log, runs, now } = this.#parts
    await log.write(async (db, record) => {
      const task = await taskRow(db, row.task_id)
      await updateMessage(db, row.id, { from: ['sending'], status: 'queued', updated_at: now() })
      if (task && hasEnded(task.status as TaskStatus))
        await changeStatus({ db, record, now: now() }, row.task_id, {
          status: 'queued',
          reason: 'it waits for its turn',
          more: { queued_at: now() },
        })
    })
    runs.wake(row.task_id)
  }

  #settle(
    row: StoredMessage,
    { status, turnId, why }: { status: 'delivered' | 'failed'; turnId: string | null; why: string | null },
  ): Promise<Message> {
    const { log, now } = this.#parts
    return log.write(async (db, record) => {
      const change = {
        status,
        turn_id: turnId,
        updated_at: now(),
        ...(status === 'failed' && { input: null }),
      }
      await updateMessage(db, row.id, { from: ['sending'], ...change })
      record(row.task_id, 'drawbridge/message', messageEvent(row, { status, turnId, why }))
      return toMessage({ ...row, ...change })
    })
  }
}

function nothingToSteer({ status }: StoredTask): TaskError {
  return new TaskError(
    'not-running',
    `no turn runs (the task is ${status}): send the message as the next turn`,
  )
}
