// Commands between workers: rows in the database, readable by the worker they are for. Each is begun at most once.
import { setTimeout as delay } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import {
  type Bus,
  cancelCommand,
  commandRow,
  type Db,
  type EventLog,
  finishCommand,
  insertCommand,
  isWorkerUp,
  type StoredCommand,
  type StoredWorker,
  takeCommands,
} from '../../store/index.ts'
import { seal } from '../../util/sealed-box.ts'
import { type Command, type Outcome, readError, unreachable, writeError } from './command.ts'
import type { Membership } from './membership.ts'

export interface CommandsParts {
  readonly log: EventLog
  readonly reader: Db
  readonly bus: Bus
  readonly membership: Membership
  /** Carries out a command of another worker here; `moved` when the task is not owned here. */
  readonly act: (command: Command) => Promise<Outcome>
  readonly onError: (error: unknown) => void
}

/** How long a caller waits for another worker. */
const ANSWER_MS = 30_000
/** A result that nobody told of is found by then. */
const LOOK_MS = 500
const PARALLEL = 32

export class Commands {
  readonly #parts: CommandsParts
  readonly #awaited = new Map<string, () => void>()
  #running = 0
  #looking: Promise<void> | null = null
  #mustLookAgain = false
  #isStopped = false

  constructor(parts: CommandsParts) {
    this.#parts = parts
  }

  /** Has another worker do it. null: that worker does not own the task any more, and nothing was done. */
  async ask(worker: StoredWorker, command: Command): Promise<{ readonly value: unknown } | null> {
    const id = await this.#send(worker, command)
    try {
      return await this.#outcome(id, worker, command)
    } finally {
      this.#awaited.delete(id)
    }
  }

  /** A command has its result. */
  hear(commandId: string): void {
    this.#awaited.get(commandId)?.()
  }

  /** There may be commands for this worker. */
  look(): void {
    this.#mustLookAgain = true
    if (this.#isStopped || this.#looking) return
    this.#looking = this.#take().finally(() => {
      this.#looking = null
      if (this.#mustLookAgain && this.#running < PARALLEL) this.look()
    })
  }

  stop(): void {
    this.#isStopped = true
  }

  async #send(worker: StoredWorker, command: Command): Promise<string> {
    const { log, bus, membership } = this.#parts
    const { id: worker_id, boot, public_key } = worker
    if (public_key === null) throw unreachable(worker, { isDone: false, taskId: command.taskId })
    const id = uuidv7()
    const { name, taskId } = command
    const sealed = seal(public_key, JSON.stringify({ id, ...command }))
    await log.change(async ({ db, after }) => {
      const row = { id, worker_id, boot, sent_by: membership.start.id, name, task_id: taskId, sealed }
      await insertCommand(db, row, { validMs: ANSWER_MS })
      after(() => bus.tell({ kind: 'command', workerId: worker_id }))
    })
    return id
  }

  async #outcome(id: string, worker: StoredWorker, command: Command): Promise<{ value: unknown } | null> {
    const { taskId } = command
    const until = performance.now() + ANSWER_MS
    for (;;) {
      const { promise: told, resolve } = Promise.withResolvers<void>()
      this.#awaited.set(id, resolve)
      const { row, isGone } = await this.#see(id, worker)
      if (row?.state === 'done') return read(JSON.parse(row.outcome!) as Outcome)
      if (isGone || performance.now() > until) {
        const { isCancelled, last } = await this.#cancel(id)
        if (isGone && isCancelled) return null
        // It may have been done while we looked.
        if (last?.state === 'done') return read(JSON.parse(last.outcome!) as Outcome)
        throw unreachable(worker, { isDone: isCancelled ? false : null, taskId })
      }
      await Promise.race([told, delay(LOOK_MS)])
    }
  }

  /** A database that does not answer says nothing about the command. */
  async #see(id: string, worker: StoredWorker) {
    const { reader } = this.#parts
    try {
      return { row: await commandRow(reader, id), isGone: !(await isWorkerUp(reader, worker)) }
    } catch {
      return { row: undefined, isGone: false }
    }
  }

  #cancel(id: string) {
    return this.#parts.log.change(async ({ db }) => {
      const isCancelled = await cancelCommand(db, id)
      return { isCancelled, last: isCancelled ? undefined : await commandRow(db, id) }
    })
  }

  async #take(): Promise<void> {
    const { log, membership, onError } = this.#parts
    this.#mustLookAgain = false
    const limit = PARALLEL - this.#running
    if (limit <= 0) return
    try {
      const rows = await log.change(({ db }) => takeCommands(db, membership.start, { limit }))
      for (const row of rows) void this.#carryOut(row).catch(onError)
    } catch (error) {
      onError(error)
    }
  }

  async #carryOut(row: StoredCommand): Promise<void> {
    const { log, bus } = this.#parts
    this.#running++
    try {
      const outcome = JSON.stringify(await this.#outcomeOf(row))
      await log.change(async ({ db, after }) => {
        await finishCommand(db, row.id, outcome)
        after(() => bus.tell({ kind: 'result', commandId: row.id }))
      })
    } finally {
      this.#running--
      if (this.#mustLookAgain) this.look()
    }
  }

  async #outcomeOf(row: StoredCommand): Promise<Outcome> {
    const { act, membership, onError } = this.#parts
    try {
      const { id, ...command } = JSON.parse(membership.open(row.sealed ?? '')) as Command & { id: string }
      // One that was copied from another row is none of ours.
      if (id !== row.id) throw new Error(`the command ${row.id} is not the one that was sent`)
      return await act(command)
    } catch (error) {
      const written = writeError(error)
      if (!written) onError(error)
      const internal = { isOfTask: false, code: 'internal', retryable: false, details: {} }
      return {
        error: written ?? {
          ...internal,
          message: 'something went wrong inside the worker that has the task',
        },
      }
    }
  }
}

function read(outcome: Outcome): { readonly value: unknown } | null {
  if ('moved' in outcome) return null
  if ('error' in outcome) throw readError(outcome.error)
  return outcome
}
