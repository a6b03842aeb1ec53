// Messages to a task: the next turn, or into the one that runs. On disk before codex hears of them, and sent once.
import { hasCode, problemWithAccess, type ThreadPolicy, type TurnInput } from '../../codex/index.ts'
import {
  type Change,
  type Db,
  type EventLog,
  hasEnded,
  insertMessage,
  isHeld,
  messageByClientId,
  messageRow,
  messageRows,
  type StoredMessage,
  type StoredTask,
  type TaskStatus,
  taskRow,
  updateMessage,
  updateTask,
} from '../../store/index.ts'
import type { Approvals } from '../approvals/index.ts'
import type { TrustOf } from '../link/index.ts'
import { changeStatus, clearAttention, messageEvent, queued } from '../log/index.ts'
import {
  type Caller,
  type Message,
  type SendMessage,
  TaskError,
  toMessage,
  untrusted,
} from '../model/index.ts'
import { isDropped, keptOverrides, NOT_TAKEN_IN, placeLate, type Run, type Runs } from '../turns/index.ts'
import { checkInputFor, checkOutputSchema } from './check-input.ts'
import { checkPreset, newMessage } from './new-task.ts'
import { inputAsThen, messageWithUploads } from './uploads.ts'

export interface MessagesParts {
  readonly log: EventLog
  readonly runs: Runs
  readonly approvals: Approvals
  readonly trustOf: TrustOf
  /** Whether a task is run here. */
  readonly owns: (taskId: string) => boolean
}

export class Messages {
  readonly #parts: MessagesParts

  constructor(parts: MessagesParts) {
    this.#parts = parts
  }

  async send(taskId: string, message: SendMessage, { actor, grant }: Caller): Promise<Message> {
    checkPreset(message.overrides?.preset)
    checkOutputSchema(message.overrides?.outputSchema)
    const overrides = keptOverrides(message.overrides, grant)
    const { row, isNew } = await this.#parts.log.change((change) =>
      this.#put(change, taskId, { ...message, overrides, actor }),
    )
    if (!isNew) return toMessage(row)
    if (message.mode === 'steer') return this.#steerOrFail(row)
    this.#parts.runs.wake(taskId)
    return toMessage(row)
  }

  /** In a change: a message that will be the task's next turn. */
  async queue(
    change: Change,
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
    const { now } = change
    checkInputFor(task.host, message.input)
    const given = await messageWithUploads(change, task.id, { ...message, mode: 'queue', now })
    const row = given as StoredMessage
    await insertMessage(change.db, row)
    change.emit(task.id, 'drawbridge/message', messageEvent(row, { status: 'queued', turnId: null }))
    const why = 'another message was sent instead'
    if (!message.isAnswer)
      await this.#parts.approvals.withdrawAll(change, { taskId: task.id, why, isAsync: true })
    await this.#waitForTurn(change, task)
    return row
  }

  /** In a change: a task that does nothing has something to do. */
  async #waitForTurn(change: Change, task: StoredTask): Promise<void> {
    const isWaitingForNobody =
      task.status === 'waiting' && task.turn_id === null && task.waiting_for !== 'worker'
    if (hasEnded(task.status as TaskStatus) || isWaitingForNobody)
      await changeStatus(change, task.id, queued(change.now))
  }

  /** In a change: the answer to a question in a message, into the turn that runs, else the next one. Returns how to send it. */
  async putAnswer(
    change: Change,
    taskId: string,
    message: { input: TurnInput; actor: string; overrides?: unknown },
  ): Promise<() => Promise<void>> {
    const task = await taskRow(change.db, taskId)
    if (!task) return async () => {}
    if (task.turn_id === null) {
      await this.queue(change, task, { ...message, isAnswer: true })
      return async () => this.#parts.runs.wake(taskId)
    }
    const row = await this.#insertSteer(change, task, message)
    return () => this.#steerOrQueue(row)
  }

  async cancel(taskId: string, messageId: string, { actor }: { actor: string }): Promise<Message> {
    const { log } = this.#parts
    return log.change(async (change) => {
      const message = await messageRow(change.db, messageId)
      if (!message || message.task_id !== taskId)
        throw new TaskError('message-not-found', `task ${taskId} has no message ${messageId}`)
      const columns = { status: 'cancelled', input: null, updated_at: change.now }
      if (!(await updateMessage(change.db, messageId, { from: ['queued'], ...columns })))
        throw new TaskError('not-running', `the message is ${message.status}: it can no longer be taken back`)
      const why = `taken back by ${actor}`
      change.emit(
        taskId,
        'drawbridge/message',
        messageEvent(message, { status: 'cancelled', turnId: null, why }),
      )
      await this.#settleEmpty(change, taskId)
      return toMessage({ ...message, ...columns, turn_id: null })
    })
  }

  /** In a change: a queued task that has nothing left to do was interrupted. */
  async #settleEmpty(change: Change, taskId: string): Promise<void> {
    const task = await taskRow(change.db, taskId)
    const waiting = await messageRows(change.db, taskId, ['queued', 'sending'])
    if (task?.status !== 'queued' || waiting.length > 0) return
    const why = new DOMException('nothing is left to do', 'AbortError')
    change.after(() => this.#parts.runs.get(taskId)?.cancel.abort(why))
    await changeStatus(change, taskId, {
      status: 'interrupted',
      reason: 'it was taken out of the queue',
      more: { queued_at: null },
    })
  }

  async #put(
    change: Change,
    taskId: string,
    message: SendMessage & { actor: string },
  ): Promise<{ row: StoredMessage; isNew: boolean }> {
    const task = await taskRow(change.db, taskId)
    if (!task) throw new TaskError('task-not-found', `there is no task ${taskId}`)
    const { clientMessageId: clientId, overrides, input, actor, mode } = message
    const earlier = clientId === undefined ? undefined : await messageByClientId(change.db, taskId, clientId)
    if (earlier) return { row: await sameMessage(change.db, earlier, message), isNew: false }
    const place = { cwd: task.cwd, codexHome: task.codex_home, host: task.host }
    if (overrides?.sandbox === 'danger-full-access' && !this.#parts.trustOf(place).trustedRoot)
      throw untrusted(task.cwd)
    // Otherwise it would fail at its turn.
    const { sandbox } = overrides ?? {}
    const problem = problemWithAccess({
      ...(JSON.parse(task.policy) as ThreadPolicy),
      ...(sandbox && { sandbox }),
    })
    if (problem !== null) throw new TaskError('bad-request', problem)
    if (overrides?.preset !== undefined) await updateTask(change.db, taskId, { preset: overrides.preset })
    await clearAttention(change, task, actor)
    if (mode === 'queue')
      return { row: await this.queue(change, task, { input, actor, overrides, clientId }), isNew: true }
    if (task.turn_id === null) throw nothingToSteer(task)
    if (message.turnId !== undefined && message.turnId !== task.turn_id)
      throw new TaskError('not-running', JUST_ENDED)
    if (!this.#parts.owns(taskId)) throw workerIsGone()
    return { row: await this.#insertSteer(change, task, { input, actor, overrides, clientId }), isNew: true }
  }

  async #insertSteer(
    change: Change,
    task: StoredTask,
    message: { input: TurnInput; actor: string; overrides?: unknown; clientId?: string | undefined },
  ): Promise<StoredMessage> {
    checkInputFor(task.host, message.input)
    const row = await messageWithUploads(change, task.id, { ...message, mode: 'steer', now: change.now })
    const sending = { ...row, status: 'sending', turn_id: task.turn_id } as StoredMessage
    this.#parts.runs.get(task.id)?.steering.add(row.id)
    await insertMessage(change.db, sending)
    return sending
  }

  /** Into the turn, over a broken connection as soon as that stands again. */
  async #steer(row: StoredMessage): Promise<Message> {
    const input = JSON.parse(row.input!) as TurnInput
    const run = this.#parts.runs.get(row.task_id)
    const thread = await run?.whenOpen()
    const isStill = thread?.activeTurn?.id === row.turn_id
    if (!run || !thread || !isStill) throw new TaskError('not-running', JUST_ENDED)
    try {
      const steered = await thread.steer(input, { whenStale: 'error', clientMessageId: row.id })
      const turnId = 'turn' in steered ? steered.turn.id : null
      return await this.#settle(row, { status: 'delivered', turnId, why: null })
    } catch (error) {
      if (isOpenEnded(error)) return this.#leaveOpen(row, run)
      throw error
    }
  }

  /** Nobody can tell yet whether codex has it: the end of the turn will. */
  #leaveOpen(row: StoredMessage, run: Run): Promise<Message> {
    const { log, runs } = this.#parts
    return log.change(async (change) => {
      change.after(() => run.steering.delete(row.id))
      const task = await taskRow(change.db, row.task_id)
      if (task?.turn_id === row.turn_id) {
        const why = 'the connection to codex broke on the way: it is kept until codex shows whether it has it'
        change.emit(
          row.task_id,
          'drawbridge/message',
          messageEvent(row, { status: 'queued', turnId: null, why }),
        )
      } else if ((await placeLate(change, row)) && task && !isHeld(task.status as TaskStatus)) {
        await this.#waitForTurn(change, task)
        change.after(() => runs.wake(row.task_id))
      }
      return toMessage((await messageRow(change.db, row.id)) ?? row)
    })
  }

  async #steerOrFail(row: StoredMessage): Promise<Message> {
    try {
      return await this.#steer(row)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      await this.#settle(row, { status: 'failed', turnId: null, why })
      throw hasCode(error, 'stale-turn') ? new TaskError('not-running', JUST_ENDED) : error
    } finally {
      this.#parts.runs.get(row.task_id)?.steering.delete(row.id)
    }
  }

  async #steerOrQueue(row: StoredMessage): Promise<void> {
    try {
      await this.#steer(row)
    } catch {
      await this.#queueInstead(row)
    } finally {
      this.#parts.runs.get(row.task_id)?.steering.delete(row.id)
    }
  }

  /** The turn ended before it could be steered: it is the next one. */
  async #queueInstead(row: StoredMessage): Promise<void> {
    const { log, runs } = this.#parts
    await log.change(async (change) => {
      const columns = { status: 'queued', turn_id: null, updated_at: change.now }
      if (!(await updateMessage(change.db, row.id, { from: ['sending'], ...columns }))) return
      const task = await taskRow(change.db, row.task_id)
      if (task && !isHeld(task.status as TaskStatus)) await this.#waitForTurn(change, task)
    })
    runs.wake(row.task_id)
  }

  #settle(
    row: StoredMessage,
    { status, turnId, why }: { status: 'delivered' | 'failed'; turnId: string | null; why: string | null },
  ): Promise<Message> {
    const { log } = this.#parts
    return log.change(async (change) => {
      const task = await taskRow(change.db, row.task_id)
      const isOver = task?.turn_id !== turnId
      const isKept = status === 'delivered' && isOver && task && (await isDropped(change.db, row, task))
      const told = isKept ? DROPPED : { status, turnId, why }
      // What codex has, or never will, is no longer kept raw.
      const isForgotten = status === 'failed' || (isOver && !isKept)
      const columns = {
        status: told.status,
        turn_id: told.turnId,
        updated_at: change.now,
        ...(isForgotten && { input: null }),
      }
      if (await updateMessage(change.db, row.id, { from: ['sending'], ...columns }))
        change.emit(row.task_id, 'drawbridge/message', messageEvent(row, told))
      return toMessage((await messageRow(change.db, row.id)) ?? { ...row, ...columns })
    })
  }
}

/** A resume begins with it. */
const DROPPED = { status: 'cancelled', turnId: null, why: NOT_TAKEN_IN } as const

const JUST_ENDED = 'the turn has just ended: send it as the next one'

/** The raw input may be gone by now: what is kept of it tells. */
async function sameMessage(
  db: Db,
  earlier: StoredMessage,
  { input: given, mode, overrides, actor }: SendMessage & { actor: string },
): Promise<StoredMessage> {
  const { id: messageId, task_id: taskId } = earlier
  const input = await inputAsThen(db, { taskId, messageId, input: given })
  const { text, overrides: sent } = newMessage(taskId, { input, mode, overrides, actor, now: 0 })
  if (earlier.mode === mode && earlier.text === text && earlier.overrides === sent) return earlier
  throw new TaskError('idempotency-mismatch', 'this idempotency key was used for another message', {
    details: { messageId: earlier.id },
  })
}

function nothingToSteer({ status }: StoredTask): TaskError {
  return new TaskError(
    'not-running',
    `no turn runs (the task is ${status}): send the message as the next turn`,
  )
}

function workerIsGone(): TaskError {
  const message =
    'the worker that has the task is not running: send the message as the next turn, or wait for it'
  return new TaskError('worker-unreachable', message, { details: { isDone: false } })
}

/** codex may have it all the same. */
function isOpenEnded(error: unknown): boolean {
  return hasCode(error, 'transport-closed', 'request-timeout')
}
