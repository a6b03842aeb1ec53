// Messages of the model to the program that embeds Drawbridge. Each can be answered once: into the call that waits, or as a
// message to the task.
import { uuidv7 } from 'uuidv7'
import { redact, redactValue } from '../../codex/index.ts'
import {
  answerCallerMessage,
  type Change,
  callerMessageRow,
  callerMessageRows,
  countCallerMessages,
  type Db,
  type EventLog,
  insertCallerMessage,
  lockTask,
  type StoredCallerMessage,
  taskRow,
} from '../../store/index.ts'
import type { Messages } from '../intake/index.ts'
import { type Caller, type CallerMessage, TaskError, toCallerMessage } from '../model/index.ts'
import type { Announcer } from '../notices/index.ts'
import { keptOverrides } from '../turns/index.ts'

export interface CallerMessagesParts {
  readonly log: Pick<EventLog, 'change'>
  readonly reader: Db
  readonly announcer: Announcer
  readonly messages: Pick<Messages, 'putAnswer'>
  readonly onError: (error: unknown) => void
}

export interface NewCallerMessage {
  readonly name: string
  readonly data: unknown
}

interface GivenAnswer {
  readonly answer: string
  readonly actor: string
  readonly overrides: unknown
}

const MAX_MESSAGES = 1_000
const MAX_SHOWN = 200
const MAX_ANSWER = 100_000

export class CallerMessages {
  readonly #parts: CallerMessagesParts
  /** Calls of this service that wait for an answer. */
  readonly #waiting = new Map<string, (answer: unknown) => void>()

  constructor(parts: CallerMessagesParts) {
    this.#parts = parts
  }

  /** Without a status the newest; of one status all of them. */
  async list(
    taskId: string,
    { status }: Pick<Partial<CallerMessage>, 'status'> = {},
  ): Promise<readonly CallerMessage[]> {
    const { reader } = this.#parts
    await known(reader, taskId)
    const limit = status === undefined ? MAX_SHOWN : MAX_MESSAGES
    return (await callerMessageRows(reader, taskId, { limit, status })).map(toCallerMessage)
  }

  /** Stored, and on its way to webhooks, when it resolves. */
  async tell(taskId: string, given: NewCallerMessage): Promise<CallerMessage> {
    return toCallerMessage(await this.#parts.log.change((change) => this.#put(change, taskId, given)))
  }

  /** The same, and waits for the answer. null: none came before the signal; a later one is a message to the task. */
  async ask(
    taskId: string,
    given: NewCallerMessage,
    signal: AbortSignal,
  ): Promise<{ value: unknown } | null> {
    const { promise, resolve } = Promise.withResolvers<{ value: unknown } | null>()
    const id = uuidv7()
    const giveUp = () => {
      this.#waiting.delete(id)
      resolve(null)
    }
    // Before the message is stored: its answer can come at once.
    this.#waiting.set(id, (value) => resolve({ value }))
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    try {
      await this.#parts.log.change((change) => this.#put(change, taskId, { ...given, id }))
      return await promise
    } finally {
      this.#waiting.delete(id)
      signal.removeEventListener('abort', giveUp)
    }
  }

  async answer(
    taskId: string,
    messageId: string,
    { value }: { readonly value: unknown },
    { actor, grant }: Caller,
  ): Promise<CallerMessage> {
    const answer = JSON.stringify(value ?? null)
    if (answer.length > MAX_ANSWER)
      throw new TaskError('bad-request', `the answer has more than ${MAX_ANSWER} characters`)
    const given = { answer, actor, overrides: keptOverrides(undefined, grant) }
    return this.#parts.log.change(async (change) => {
      const kept = JSON.stringify(redactValue(value ?? null))
      const row = await answerCallerMessage(change.db, messageId, {
        ...{ answer: kept, actor, answered_at: change.now },
      }).then(async (settled) =>
        settled?.task_id === taskId ? settled : this.#refuse(change.db, taskId, messageId),
      )
      change.emit(taskId, 'drawbridge/caller-message', eventOf(row))
      if (this.#waiting.has(messageId)) change.after(() => this.#giveToCall(row, given))
      else await this.#send(change, row, given)
      return toCallerMessage(row)
    })
  }

  /** The call may have ended in this very moment. */
  #giveToCall(row: StoredCallerMessage, given: GivenAnswer): void {
    const waiting = this.#waiting.get(row.id)
    if (waiting) waiting(JSON.parse(given.answer))
    else void this.#parts.log.change((change) => this.#send(change, row, given)).catch(this.#parts.onError)
  }

  async #send(
    change: Change,
    { task_id: taskId, name }: StoredCallerMessage,
    { answer, ...from }: GivenAnswer,
  ): Promise<void> {
    const input = `The answer to your message ${JSON.stringify(name)}:\n\n${answer}`
    const send = await this.#parts.messages.putAnswer(change, taskId, { input, ...from })
    change.after(() => void send())
  }

  async #put(
    change: Change,
    taskId: string,
    given: NewCallerMessage & { readonly id?: string },
  ): Promise<StoredCallerMessage> {
    const { db, now } = change
    await lockTask(db, taskId)
    await known(db, taskId)
    if ((await countCallerMessages(db, taskId)) >= MAX_MESSAGES)
      throw new TaskError('bad-request', `this task has sent ${MAX_MESSAGES} messages: that is the limit`)
    const row: StoredCallerMessage = {
      ...{ id: given.id ?? uuidv7(), task_id: taskId, name: redact(given.name) },
      ...{ data: JSON.stringify(redactValue(given.data ?? null)), status: 'sent' },
      ...{ answer: null, actor: null, created_at: now, answered_at: null },
    }
    await insertCallerMessage(db, row)
    change.emit(taskId, 'drawbridge/caller-message', eventOf(row))
    const callerMessage = toCallerMessage(row)
    await this.#parts.announcer.announce(change, { cause: 'caller-message', taskId, callerMessage })
    return row
  }

  /** Undoes the change. */
  async #refuse(db: Db, taskId: string, messageId: string): Promise<never> {
    const row = await callerMessageRow(db, taskId, messageId)
    if (!row)
      throw new TaskError('caller-message-not-found', `task ${taskId} has no message ${messageId} to answer`)
    throw new TaskError('caller-message-answered', `the message was answered by ${row.actor}`, {
      details: { message: toCallerMessage(row) },
    })
  }
}

async function known(db: Db, taskId: string): Promise<void> {
  if (!(await taskRow(db, taskId))) throw new TaskError('task-not-found', `there is no task ${taskId}`)
}

function eventOf(row: StoredCallerMessage) {
  const { id, status, name, data, answer, actor } = toCallerMessage(row)
  return { messageId: id, status, name, data, answer, actor }
}
