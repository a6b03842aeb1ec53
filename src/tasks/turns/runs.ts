// Tasks at work: from message to turn to end, one loop each.
import { setTimeout as delay } from 'node:timers/promises'
import { hasCode, isThreadGone, toFailure } from '../../codex/index.ts'
import { type StoredMessage, type StoredTask, taskRow } from '../../store/index.ts'
import { Deadlines } from '../../util/deadlines.ts'
import { accountOf, type Link, StaleLoginError } from '../link/index.ts'
import type { Evidence } from '../model/index.ts'
import { meet } from './attach.ts'
import { borrow, loginRefused, noteLimit } from './borrow.ts'
import { tellHeld } from './held-tasks.ts'
import { openForOthers } from './open-for-others.ts'
import { recover } from './recovery.ts'
import { type Opened, Run } from './run.ts'
import type { RunsParts } from './runs-parts.ts'
import type { Settled } from './settled.ts'
import { LOOK, REST, STAGES, type Step } from './step.ts'
import { nextOf, takeNext } from './take-next.ts'
import { noteTurnElsewhere } from './turn-elsewhere.ts'
import { writeTurnEnd } from './turn-end.ts'
import { type Next, startTurn } from './turn-start.ts'
import { type Found, TurnWatch } from './turn-watch.ts'
import { requeueUnbegun } from './unbegun.ts'
import { giveUp, putBack, takeBack } from './undelivered.ts'
import { waitForCodex } from './wait-for-codex.ts'
import { waitForHost } from './wait-for-host.ts'

/** A message that codex dies of whenever it gets it is given up after so many tries. */
const MAX_BROKEN_STARTS = 2
/** So many tasks are kept at hand, with their threads loaded in codex: each costs it two descriptors, and its MCP servers. */
const MAX_RUNS = 50

export class Runs {
  readonly #watch: TurnWatch
  readonly #parts: RunsParts
  readonly #runs = new Map<string, Run>()
  readonly #limits: Deadlines

  constructor(parts: RunsParts) {
    this.#parts = parts
    this.#watch = new TurnWatch(parts)
    this.#limits = new Deadlines(parts.now, (taskId) => parts.onLimitOver(taskId))
  }

  /** How many tasks are at hand. */
  get size(): number {
    return this.#runs.size
  }

  /** How many are about to want a place. */
  get arriving(): number {
    let count = 0
    for (const { stage, slot } of this.#runs.values())
      if (slot === null && (stage === 'looking' || stage === 'recovering')) count++
    return count
  }

  get(taskId: string): Run | undefined {
    return this.#runs.get(taskId)
  }

  runOf(taskId: string): Run {
    const run = this.#runs.get(taskId) ?? new Run(taskId, (one) => this.#hearElsewhere(one))
    this.#runs.delete(taskId) // the one used last comes last
    this.#runs.set(taskId, run)
    return run
  }

  /** The task is gone. */
  forget(taskId: string): void {
    this.#limits.clear(taskId)
    const run = this.#runs.get(taskId)
    if (run) this.#drop(run)
  }

  /** There may be a message for this task. Never rejects, never waits. */
  wake(taskId: string): void {
    if (!this.#parts.owns(taskId)) return this.#parts.onForeign()
    const run = this.runOf(taskId)
    run.isWoken = true
    if (run.stage === 'resting') void this.#drive(run, LOOK)
  }

  /** Whether a thread is open here, and what happens in it is heard. */
  hasOpen(threadId: string): boolean {
    for (const { open } of this.#runs.values()) if (open?.thread.id === threadId) return true
    return false
  }

  /** Something happens, or has happened, in the thread of a task that rests. Never rejects, never waits. */
  meet(taskId: string): void {
    const run = this.runOf(taskId)
    if (run.stage === 'resting' && !run.open && !this.#isStopping) void this.#drive(run, { do: 'meet' })
  }

  /** The thread of a task, open here and for other clients of its app-server. */
  async openThread(row: StoredTask): Promise<Opened> {
    const run = this.runOf(row.id)
    if (!run.open) await run.whenOpen()
    if (run.open) return run.open
    if (run.stage !== 'resting') return openForOthers(run, row, this.#parts)
    run.stage = 'joining'
    try {
      return await openForOthers(run, row, this.#parts)
    } finally {
      void this.#drive(run, LOOK)
    }
  }

  /** A turn of this task was begun elsewhere: it is taken up as soon as the one before it is settled. */
  #hearElsewhere(run: Run): void {
    run.isWoken = true
    if (run.stage === 'queueing' || run.stage === 'pausing')
      run.cancel.abort(new DOMException('a turn was begun elsewhere', 'AbortError'))
    if (run.stage === 'resting' && this.#parts.owns(run.taskId) && !this.#isStopping)
      void this.#drive(run, LOOK)
  }

  /** A task that was at work when the service stopped: goes on with it. Resolves when it is known how. */
  async recover(row: StoredTask): Promise<void> {
    const run = this.runOf(row.id)
    if (run.stage !== 'resting') return
    run.stage = 'recovering'
    run.beginTurn()
    void this.#drive(run, await this.#findAgain(run, row))
  }

  /** A limited task goes on at this time; until then nobody of its account begins. */
  park(row: StoredTask, until: number): void {
    const hold = { until, why: 'the account has hit its limit' }
    this.#parts.scheduler.hold(accountOf(row), hold)
    this.#parts.onLimit(accountOf(row), hold)
    this.#limits.set(row.id, until)
  }

  /** Codex has just said so: it is written down of the account too, and the task may switch to another. */
  #limit(row: StoredTask, until: number): void {
    this.park(row, until)
    noteLimit({ row, run: this.#runs.get(row.id) }, until, this.#parts)
  }

  /** Somebody wants a task of this account to go on now. */
  liftHold(row: StoredTask): void {
    this.#parts.scheduler.release(accountOf(row))
    this.#parts.onLimit(accountOf(row), null)
    noteLimit({ row, run: this.#runs.get(row.id) }, null, this.#parts)
  }

  stop(): void {
    this.#limits.stop()
    this.#parts.scheduler.stop()
    for (const run of this.#runs.values()) run.cancel.abort(new Error('the service is stopping'))
  }

  /** Takes one step after the other until nothing is left to do. One loop per task. */
  async #drive(run: Run, first: Step): Promise<void> {
    for (let step = first; ; ) {
      run.stage = STAGES[step.do]
      // Release the slot before waiting for the next one.
      if (step.do === 'look' || step.do === 'pause' || step.do === 'rest') run.endTurn()
      if (step.do === 'rest') break
      step = await this.#take(run, step).catch((error) => this.#failed(run, error))
      if (step.do === 'rest' && run.isWoken && this.#parts.owns(run.taskId) && !this.#isStopping) step = LOOK
    }
    // One that was dropped meanwhile may have opened the log again.
    if (!this.#runs.has(run.taskId)) this.#parts.log.close(run.taskId)
    this.#forgetOldest()
  }

  #take(run: Run, step: Exclude<Step, { do: 'rest' }>): Promise<Step> {
    switch (step.do) {
      case 'look':
        return this.#look(run)
      case 'queue':
        return this.#queue(run, step)
      case 'begin':
        return this.#begin(run)
      case 'watch':
        return this.#see(run, step.found)
      case 'recover':
        return this.#recover(run)
      case 'join':
        return this.#join(run, step.found)
      case 'meet':
        return this.#meet(run)
      case 'pause':
        return this.#pause(run, step.ms)
    }
  }

  /** What goes wrong is the task's, not the service's. */
  async #failed(run: Run, error: unknown): Promise<Step> {
    if (!this.#isStopping) await this.#fail(run.taskId, error).catch(() => {})
    return REST
  }

  /** What was at work longest ago is read from the store again when it is wanted. */
  #forgetOldest(): void {
    for (const run of this.#runs.values()) {
      if (this.#runs.size <= MAX_RUNS) return
      if (run.stage !== 'resting' || run.isOpening) continue
      this.#drop(run)
    }
  }

  #drop(run: Run): void {
    run.drop()
    this.#runs.delete(run.taskId)
    this.#parts.log.close(run.taskId)
  }

  get #isStopping(): boolean {
    return this.#parts.links.signal.aborted
  }

  async #look(run: Run): Promise<Step> {
    run.isWoken = false
    const found = run.elsewhere.shift()
    if (found) return { do: 'join', found }
    const next = await this.#parts.log.change(({ db }) => nextOf(db, run.taskId))
    // It was interrupted while a start failed: what is queued is not started again.
    if (run.interruptedBy !== null && next) return this.#backOut(run, next.message)
    run.interruptedBy = null
    if (!next) return REST
    const account = accountOf(next.row)
    await this.#parts.lookForLimits()
    const hold = this.#parts.scheduler.holdOf(account)
    if (hold) await tellHeld(this.#parts, account, hold)
    return { do: 'queue', account, queuedAt: next.row.queued_at ?? 0, isHeld: hold !== null }
  }

  /** Nothing is awaited before it is in the queue: until then it counts as arriving, from then on as what it is there. */
  async #queue(run: Run, { account, queuedAt, isHeld }: Extract<Step, { do: 'queue' }>): Promise<Step> {
    run.cancel = new AbortController()
    if (run.elsewhere.length > 0) return LOOK
    const signal = this.#endOf(run)
    run.slot = await this.#parts.enter({
      ...{ taskId: run.taskId, queuedAt, isHeld, signal },
      go: () => this.#parts.scheduler.enter({ account, signal }),
    })
    return { do: 'begin' }
  }

  async #pause(run: Run, ms: number): Promise<Step> {
    await delay(ms, undefined, { signal: this.#endOf(run) })
    return LOOK
  }

  /** Interrupting the task, or stopping the service, ends its waiting. */
  #endOf(run: Run): AbortSignal {
    return AbortSignal.any([run.cancel.signal, this.#parts.links.signal])
  }

  async #isWaiting(taskId: string): Promise<boolean> {
    return (await this.#parts.log.change(({ db }) => taskRow(db, taskId)))?.status === 'waiting'
  }

  async #begin(run: Run): Promise<Step> {
    run.beginTurn()
    const next = await takeNext(run.taskId, this.#parts)
    if (!next) return LOOK
    try {
      await this.#parts.log.open(run.taskId)
      this.#limits.clear(run.taskId)
      const turn = await startTurn(run, await borrow(run, next, this.#parts), this.#parts)
      return turn ? { do: 'watch', found: { turn } } : await this.#backOut(run, next.message)
    } catch (error) {
      return this.#notBegun(run, next, error)
    }
  }

  async #backOut(run: Run, message: StoredMessage): Promise<Step> {
    if (this.#isStopping) return REST
    run.interruptedBy = null
    await takeBack(message, this.#parts)
    return LOOK
  }

  /** A turn could not be started: it is looked for, tried again, or failed. */
  async #notBegun(run: Run, next: Next, error: unknown): Promise<Step> {
    const { failedStarts } = run
    if (this.#isStopping) return REST
    if (hasCode(error, 'thread-busy')) {
      await putBack(next, this.#parts)
      return LOOK
    }
    if (isOpenEnded(error) && failedStarts.broken++ < MAX_BROKEN_STARTS) return { do: 'recover' }
    if (await waitForCodex(next, error, this.#parts)) return LOOK
    const hostMs = await waitForHost(next, { error, tries: failedStarts.away }, this.#parts)
    if (hostMs !== null) {
      failedStarts.away++
      return { do: 'pause', ms: hostMs }
    }
    if (await this.#parts.giveBack(next, error)) {
      this.forget(run.taskId)
      return REST
    }
    if (isThreadGone(error) || error instanceof StaleLoginError) run.setClosed()
    const starts = ++failedStarts.unanswered
    const waitMs = await requeueUnbegun(next, { error, starts }, this.#parts)
    if (waitMs !== null) return { do: 'pause', ms: waitMs }
    await giveUp(next.message, error, this.#parts)
    await this.#fail(run.taskId, error, { starts })
    run.forgetFailedStarts()
    return LOOK
  }

  /** The turn becomes the one the task works on. */
  async #join(run: Run, found: Found): Promise<Step> {
    run.beginTurn()
    await this.#parts.log.open(run.taskId)
    const isTaken = await this.#parts.log.change((change) => noteTurnElsewhere(change, run, found))
    if (!isTaken) return LOOK
    this.#limits.clear(run.taskId)
    return { do: 'watch', found }
  }

  /** What cannot be looked at costs the task nothing: it is as it was. */
  async #meet(run: Run): Promise<Step> {
    await meet(run, this.#parts).catch(() => {})
    return LOOK
  }

  async #recover(run: Run): Promise<Step> {
    run.letGo()
    const row = await this.#parts.log.change(({ db }) => taskRow(db, run.taskId))
    return row ? this.#findAgain(run, row) : REST
  }

  #findAgain(run: Run, row: StoredTask): Promise<Step> {
    return recover(run, row, { ...this.#parts, watch: this.#watch })
  }

  /** Watches the turn, wherever it has to be looked for, until it is settled in the store. */
  async #see(run: Run, found: Found): Promise<Step> {
    run.beginTurn()
    const link = run.opened?.link ?? null
    if (run.slot === null) await this.#occupy(run, link)
    const settled = await this.#watch.settledOf(run, found, link)
    if (!settled) return REST
    await this.#end(run, settled)
    return LOOK
  }

  /** A turn that ran before this service did has its place already. */
  async #occupy(run: Run, link: Link | null): Promise<void> {
    if (link) run.hold(link)
    run.slot = this.#parts.scheduler.occupy()
    run.slot.isPaused = await this.#isWaiting(run.taskId)
  }

  async #end(run: Run, ended: Settled): Promise<void> {
    const { log, hooks, onTurnEnded } = this.#parts
    const times = run.beganAt === null ? undefined : { startedAt: run.beganAt, endedAt: null }
    const settled = { ...(times && { times }), ...ended }
    const { next, row } = await log.change(async (change) => ({
      next: await writeTurnEnd(change, { run, settled }, this.#parts),
      row: await taskRow(change.db, run.taskId),
    }))
    onTurnEnded(settled.status)
    if (settled.failure?.code === 'auth') loginRefused({ run, row }, this.#parts)
    // Hooks may need the folder: it is told when they are done.
    if (row && !hooks.isBusy(row.id)) this.#parts.workspaces?.ended(row)
    run.turn = null
    run.beganAt = null
    run.isHeldBack = false
    run.interruptedBy = null
    run.completed.clear()
    if (next?.limitedUntil && row) this.#limit(row, next.limitedUntil)
  }

  async #fail(taskId: string, error: unknown, evidence: Evidence = {}): Promise<void> {
    if (error instanceof Error && error.name === 'AbortError') return
    const failure = toFailure(error)
    const settled: Settled = {
      turnId: '',
      status: 'failed',
      text: null,
      failure,
      evidence: { ...evidence, stderrTail: failure.stderrTail, error: String(error) },
    }
    await this.#end(this.runOf(taskId), settled)
  }
}

/** Codex may have it all the same. */
function isOpenEnded(error: unknown): boolean {
  const isLate = hasCode(error, 'request-timeout') && error.method === 'turn/start'
  return isLate || hasCode(error, 'transport-closed')
}
