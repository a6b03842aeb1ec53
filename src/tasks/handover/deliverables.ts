// Files that the model hands over. Bytes first, then the row; each is answered once, and words reach the model as a message.
import { uuidv7 } from 'uuidv7'
import { redact } from '../../codex/index.ts'
import {
  answerDeliverable,
  type Change,
  type Db,
  deliverableRow,
  deliverableRows,
  type EventLog,
  insertDeliverable,
  type KeptFile,
  type KeptFiles,
  lockTask,
  type StoredDeliverable,
  taskRow,
} from '../../store/index.ts'
import type { Messages } from '../intake/index.ts'
import {
  type AnswerDeliverable,
  type Caller,
  type Deliverable,
  type DeliverableContent,
  type NewDeliverable,
  TaskError,
  toDeliverable,
} from '../model/index.ts'
import type { Announcer } from '../notices/index.ts'
import { keptOverrides } from '../turns/index.ts'

export interface DeliverablesParts {
  readonly log: Pick<EventLog, 'change'>
  readonly reader: Db
  readonly files: KeptFiles
  readonly announcer: Announcer
  readonly messages: Pick<Messages, 'putAnswer'>
  /** Between the steps of a delivery; tests end the process there. */
  readonly atStep?: ((name: string) => void) | undefined
}

/** That wait for an answer, and in all. A model that hands over the same again and again fills no disk and no inbox. */
const MAX_PENDING = 50
const MAX_IN_ALL = 500
const MAX_TASK_BYTES = 4 * 1024 ** 3
const MAX_WORDS = 20_000

export class Deliverables {
  readonly #parts: DeliverablesParts

  constructor(parts: DeliverablesParts) {
    this.#parts = parts
  }

  async list(taskId: string): Promise<readonly Deliverable[]> {
    await this.#known(taskId)
    return (await deliverableRows(this.#parts.reader, taskId)).map(toDeliverable)
  }

  async content(taskId: string, number: number): Promise<DeliverableContent> {
    const row = await this.#row(this.#parts.reader, taskId, number)
    const bytes = await this.#parts.files.open({ taskId, id: row.id })
    if (!bytes)
      throw new TaskError(
        'deliverable-not-found',
        `the bytes of deliverable ${number} of task ${taskId} are not in this data folder: it was restored from a backup without them`,
      )
    return { deliverable: toDeliverable(row), bytes }
  }

  /** The folders that the token which started the task is bound to; null: none. Its files must be in one of them. */
  async within(taskId: string): Promise<readonly string[] | null> {
    const within = (await taskRow(this.#parts.reader, taskId))?.within ?? null
    return within === null ? null : (JSON.parse(within) as string[])
  }

  /** The bytes are kept before there is a row, so a crash leaves at most bytes that nothing names. */
  async deliver(taskId: string, given: NewDeliverable): Promise<Deliverable> {
    const { log, files, reader, atStep } = this.#parts
    refuseTooMany(await deliverableRows(reader, taskId))
    const key = { taskId, id: uuidv7() }
    const kept = await files.put(key, given.bytes)
    atStep?.('kept')
    try {
      const { row, isNew } = await log.change((change) => this.#put(change, key, { given, kept }))
      if (!isNew) await files.drop(key)
      return toDeliverable(row)
    } catch (error) {
      if (error instanceof TaskError) await files.drop(key)
      throw error
    }
  }

  async answer(
    taskId: string,
    number: number,
    { verdict, words = '' }: AnswerDeliverable,
    { actor, grant }: Caller,
  ): Promise<Deliverable> {
    const text = words.trim()
    if (verdict === 'sent-back' && text === '')
      throw new TaskError('bad-request', 'say what is to be changed: the model gets your words')
    if (text.length > MAX_WORDS)
      throw new TaskError('bad-request', `the words have more than ${MAX_WORDS} characters`)
    return this.#parts.log.change(async (change) => {
      const { id } = await this.#row(change.db, taskId, number)
      const row = await answerDeliverable(change.db, id, {
        ...{ status: verdict, words: text === '' ? null : redact(text), actor, answered_at: change.now },
      })
      if (!row) throw await this.#answeredBefore(change.db, taskId, number)
      change.emit(taskId, 'drawbridge/deliverable', eventOf(row))
      await this.#tellModel(change, row, { text, actor, overrides: keptOverrides(undefined, grant) })
      return toDeliverable(row)
    })
  }

  /** An acceptance without words begins no turn; a turn that runs hears of it. */
  async #tellModel(
    change: Change,
    row: StoredDeliverable,
    { text, ...from }: { text: string; actor: string; overrides: unknown },
  ): Promise<void> {
    const task = await taskRow(change.db, row.task_id)
    if (text === '' && task?.turn_id == null) return
    const input = messageText(row, text)
    const send = await this.#parts.messages.putAnswer(change, row.task_id, { input, ...from })
    change.after(() => void send())
  }

  async #put(
    change: Change,
    { taskId, id }: { taskId: string; id: string },
    { given, kept }: { given: NewDeliverable; kept: KeptFile },
  ): Promise<{ row: StoredDeliverable; isNew: boolean }> {
    const { db, now } = change
    await lockTask(db, taskId)
    if (!(await taskRow(db, taskId))) throw new TaskError('task-not-found', `there is no task ${taskId}`)
    const before = await deliverableRows(db, taskId)
    const same = before.find((each) => isSame(each, given, kept))
    if (same) return { row: same, isNew: false }
    refuseTooMany(before, kept.bytes)
    const row: StoredDeliverable = {
      ...{ id, task_id: taskId, number: (before.at(-1)?.number ?? 0) + 1 },
      ...{ turn_id: given.turnId, path: redact(given.path), title: redact(given.title) },
      ...{ note: given.note === null ? null : redact(given.note), ...kept },
      ...{ status: 'pending', words: null, actor: null, created_at: now, answered_at: null },
    }
    await insertDeliverable(db, row)
    change.emit(taskId, 'drawbridge/deliverable', eventOf(row))
    const deliverable = toDeliverable(row)
    await this.#parts.announcer.announce(change, { cause: 'deliverable', taskId, deliverable })
    return { row, isNew: true }
  }

  async #known(taskId: string): Promise<void> {
    if (!(await taskRow(this.#parts.reader, taskId)))
      throw new TaskError('task-not-found', `there is no task ${taskId}`)
  }

  async #row(db: Db, taskId: string, number: number): Promise<StoredDeliverable> {
    const row = await deliverableRow(db, taskId, number)
    if (row) return row
    await this.#known(taskId)
    throw new TaskError('deliverable-not-found', `task ${taskId} has no deliverable ${number}`)
  }

  async #answeredBefore(db: Db, taskId: string, number: number): Promise<TaskError> {
    const deliverable = toDeliverable(await this.#row(db, taskId, number))
    const what = deliverable.status === 'accepted' ? 'accepted' : 'sent back'
    return new TaskError(
      'deliverable-answered',
      `deliverable ${number} was ${what} by ${deliverable.actor}: send the task a message instead`,
      { details: { deliverable } },
    )
  }
}

function refuseTooMany(rows: readonly StoredDeliverable[], more = 0): void {
  const refuse = (what: string) => {
    throw new TaskError('bad-request', what)
  }
  if (rows.length >= MAX_IN_ALL) refuse(`this task has handed over ${MAX_IN_ALL} files: that is the limit`)
  if (rows.filter(({ status }) => status === 'pending').length >= MAX_PENDING)
    refuse(`${MAX_PENDING} files wait for an answer: wait until people have looked at them`)
  const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), more)
  if (bytes > MAX_TASK_BYTES) refuse(`the files of this task have more than ${MAX_TASK_BYTES} bytes together`)
}

/** The same file again before anybody answered. */
function isSame(row: StoredDeliverable, given: NewDeliverable, { sha256 }: KeptFile): boolean {
  return row.status === 'pending' && row.sha256 === sha256 && row.path === redact(given.path)
}

function eventOf({ id, number, status, title, path, bytes, sha256, words, actor }: StoredDeliverable) {
  return {
    ...{ deliverableId: id, number, status: status as Deliverable['status'] },
    ...{ title, path, bytes: Number(bytes), sha256, words, actor },
  }
}

function messageText({ number, path, status }: StoredDeliverable, words: string): string {
  const what = status === 'accepted' ? 'accepted' : 'sent back: change it, then deliver it again'
  const head = `Your deliverable ${number} (${path}) was ${what}.`
  return words === '' ? head : `${head}\n\n${words}`
}
