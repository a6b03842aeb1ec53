// When hooks run. `before` runs where a turn begins; what other hooks run for is on record in the change that tells of it, and
// they run after that, one after the other for each task. A run that a dead service left is ended, and not repeated unasked.
import {
  type Change,
  type EventLog,
  hookRunsIn,
  hookRunsOfTask,
  insertHookRuns,
  labelsOf,
  type Noted,
  type NotedEvent,
  type StoredHookRun,
  type StoredTask,
  taskRow,
  updateHookRun,
} from '../../store/index.ts'
import type { HookProcess, TaskHooks } from '../model/index.ts'
import { runBefore } from './before.ts'
import { NOTED_METHODS, occasionOf } from './facts.ts'
import { completeHook, type Hook, hooksFor } from './hook-set.ts'
import { newRun } from './new-run.ts'
import { markerOf, runHook } from './run-hook.ts'

export interface HooksParts {
  readonly log: Pick<EventLog, 'change'>
  readonly now: () => number
  /** null on SQLite. */
  readonly workerId: string | null
  /** Whether a task is run here: its owner runs its hooks. */
  readonly owns: (taskId: string) => boolean
  /** Whether a person trusts the folder of a task. */
  readonly isTrusted: (row: StoredTask) => boolean
  /** No hook of the task waits or runs any more. */
  readonly onDone: (row: StoredTask) => void
  readonly onError: (error: unknown) => void
}

/** So many run at once, without those before turns: they are part of the turn they wait for. */
const PARALLEL = 8

export class Hooks {
  readonly #given: TaskHooks
  readonly #hooks: readonly Hook[]
  readonly #parts: HooksParts
  readonly #stopping = new AbortController()
  /** Tasks whose hooks run or wait for a place. */
  readonly #busy = new Map<string, Promise<void>>()
  /** Turns that wait for their hooks. */
  readonly #preparing = new Set<Promise<unknown>>()
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(given: TaskHooks, parts: HooksParts) {
    this.#given = given
    this.#hooks = given.hooks.map(completeHook)
    this.#parts = parts
  }

  /** For the log; absent when there is nothing to hear. */
  get noted(): { noted?: Noted } {
    if (this.#hooks.every(({ on }) => on === 'before')) return {}
    return { noted: { methods: NOTED_METHODS, note: (change, event) => this.#note(change, event) } }
  }

  /** Whether hooks of this task wait or run. */
  isBusy(taskId: string): boolean {
    return this.#busy.has(taskId)
  }

  get size(): number {
    return this.#busy.size
  }

  /** What an earlier start left running is ended, and what it left undone is done. */
  async begin(): Promise<void> {
    const { log, workerId } = this.#parts
    const left = await log.change(({ db }) => hookRunsIn(db, { states: ['running'], workerId }))
    await Promise.all(left.map((run) => this.#endLeft(run)))
    this.#wake()
  }

  /** Ends what runs. The rest is done by the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the service is stopping'))
    for (const go of this.#waiting.splice(0)) go()
    await Promise.allSettled([...this.#busy.values(), ...this.#preparing])
  }

  /**
   * Before a turn: `ready` when all that has to run before it has. Rejects with `hook-failed` when the task must not begin,
   * and is `interrupted` when the signal ends it.
   */
  async prepare(row: StoredTask, { signal }: { signal: AbortSignal }): Promise<'ready' | 'interrupted'> {
    if (!this.#hooks.some(({ on }) => on === 'before')) return 'ready'
    const labels = await this.#parts.log.change(({ db }) => labelsOf(db, row.id))
    const hooks = hooksFor(this.#hooks, 'before', { row, labels, isTrusted: this.#parts.isTrusted })
    if (hooks.length === 0) return 'ready'
    const prepared = runBefore(hooks, { row, labels, signal }, this.#runParts())
    this.#preparing.add(prepared)
    return prepared.finally(() => this.#preparing.delete(prepared))
  }

  #runParts() {
    const { log, now, workerId } = this.#parts
    return { log, now, workerId, stopping: this.#stopping.signal }
  }

  /** In the change that tells of it. */
  async #note(change: Change, event: NotedEvent): Promise<void> {
    const { taskId } = event
    const occasion = occasionOf(event, change.now)
    if (!occasion || !this.#parts.owns(taskId) || !this.#hooks.some(({ on }) => on === occasion.on)) return
    const row = await taskRow(change.db, taskId)
    if (!row) return
    // One that was never begun has not ended either.
    if (occasion.on === 'after' && row.started_at === null) return
    const labels = await labelsOf(change.db, taskId)
    const hooks = hooksFor(this.#hooks, occasion.on, { row, labels, isTrusted: this.#parts.isTrusted })
    if (hooks.length === 0) return
    const subject = occasion.subject ?? (await endOf(change, row))
    const ended = { status: row.status, reason: row.reason }
    const facts = JSON.stringify({ ...occasion.told, ...(occasion.on === 'after' && { ended }) })
    const planned = { task_id: taskId, worker_id: this.#parts.workerId, subject, facts, now: change.now }
    await insertHookRuns(
      change.db,
      hooks.map((hook, position) => newRun(hook, { ...planned, position })),
    )
    change.after(() => this.#drive(taskId))
  }

  #wake(): void {
    const { log, workerId, onError } = this.#parts
    log
      .change(({ db }) => hookRunsIn(db, { states: ['planned'], workerId }))
      .then((runs) => {
        for (const { task_id: taskId, event } of runs) if (event !== 'before') this.#drive(taskId)
      })
      .catch(onError)
  }

  /** Never rejects, never waits. */
  #drive(taskId: string): void {
    if (this.#stopping.signal.aborted) return
    const before = this.#busy.get(taskId)
    const mine: Promise<void> = Promise.resolve(before)
      .then(() => this.#runAll(taskId))
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) this.#parts.onError(error)
      })
      .then(async () => {
        if (this.#busy.get(taskId) !== mine) return
        this.#busy.delete(taskId)
        if (!this.#stopping.signal.aborted) await this.#tellDone(taskId)
      })
      .catch(this.#parts.onError)
    this.#busy.set(taskId, mine)
  }

  async #tellDone(taskId: string): Promise<void> {
    const row = await this.#parts.log.change(({ db }) => taskRow(db, taskId))
    if (row) this.#parts.onDone(row)
  }

  async #runAll(taskId: string): Promise<void> {
    for (;;) {
      const runs = await this.#parts.log.change(({ db }) => hookRunsOfTask(db, taskId))
      const run = runs.find(({ state, event }) => state === 'planned' && event !== 'before')
      if (!run || this.#stopping.signal.aborted) return
      await this.#inPlace(() => this.#runOne(run))
    }
  }

  async #inPlace(work: () => Promise<void>): Promise<void> {
    if (this.#running >= PARALLEL) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push(resolve)
      await promise
      if (this.#stopping.signal.aborted) return
    } else this.#running++
    try {
      await work()
    } finally {
      // The place goes to the next one.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }

  async #runOne(run: StoredHookRun): Promise<void> {
    const { log } = this.#parts
    const { row, labels } = await log.change(async ({ db }) => ({
      row: await taskRow(db, run.task_id),
      labels: await labelsOf(db, run.task_id),
    }))
    const hook = this.#hooks.find(({ name }) => name === run.hook)
    if (!row) return
    if (!hook || hook.on !== run.event) return this.#skip(run, 'the settings do not name it any more')
    const never = new AbortController()
    const end = await runHook(hook, { run, row, labels }, { signal: never.signal, parts: this.#runParts() })
    const isAgain = end?.state === 'cut' && hook.repeatable
    if (end && end.state !== 'done' && !isAgain && hook.onFailure === 'stop') await this.#skipRest(run, hook)
  }

  async #skipRest(failed: StoredHookRun, { name }: Pick<Hook, 'name'>): Promise<void> {
    const runs = await this.#parts.log.change(({ db }) => hookRunsOfTask(db, failed.task_id))
    for (const run of runs)
      if (run.state === 'planned' && run.event === failed.event && run.subject === failed.subject)
        await this.#skip(run, `the hook ${name} before it failed`)
  }

  async #skip(run: StoredHookRun, problem: string): Promise<void> {
    await this.#parts.log.change(async (change) => {
      const columns = { state: 'skipped', problem, ended_at: change.now }
      if (await updateHookRun(change.db, run.id, { from: ['planned'], ...columns }))
        this.#emit(change, run, { status: 'skipped', problem })
    })
  }

  /** Nobody knows whether it finished. It runs again when its hook says that it may. */
  async #endLeft(run: StoredHookRun): Promise<void> {
    const process = run.process === null ? null : (JSON.parse(run.process) as HookProcess)
    await this.#given.endLeftBehind?.({ marker: markerOf(run), process })
    const hook = this.#hooks.find(({ name }) => name === run.hook)
    const isAgain = run.event !== 'before' && hook?.repeatable === true
    await this.#parts.log.change(async (change) => {
      const state = isAgain ? 'planned' : 'cut'
      const columns = { state, problem: UNKNOWN, process: null, ended_at: change.now }
      if (await updateHookRun(change.db, run.id, { from: ['running'], ...columns }))
        this.#emit(change, run, { status: 'unknown', problem: UNKNOWN })
    })
    if (!isAgain && run.event !== 'before' && hook?.onFailure === 'stop') await this.#skipRest(run, hook)
  }

  #emit(
    change: Change,
    { id: runId, hook, event: on, attempt, task_id: taskId }: StoredHookRun,
    told: { status: 'skipped' | 'unknown'; problem: string },
  ): void {
    const title = this.#hooks.find(({ name }) => name === hook)?.title ?? hook
    const nothing = { exitCode: null, durationMs: null, outputBytes: null }
    change.emit(taskId, 'drawbridge/hook', { ...{ runId, hook, on, title, attempt }, ...nothing, ...told })
  }
}

const UNKNOWN = 'the service was gone while it ran'

/** A task can end again after it went on, or after what is before its first turn was tried again. */
async function endOf({ db }: Change, { id, turn_count: turns }: StoredTask): Promise<string> {
  const runs = await hookRunsOfTask(db, id)
  const starts = runs.reduce((sum, { event, attempt }) => sum + (event === 'before' ? attempt : 0), 0)
  return `end ${turns}.${starts}`
}
