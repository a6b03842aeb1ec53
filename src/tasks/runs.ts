import { setTimeout as delay } from 'node:timers/promises'
import { hasCode, isThreadGone, type Turn, toFailure } from '../codex/index.ts'
import {
  type Db,
  messageRows,
  type StoredMessage,
  type StoredTask,
  taskRow,
  updateMessage,
  updateTask,
} from '../store/index.ts'
import type { AttachParts } from './attach.ts'
import { Deadlines } from './deadlines.ts'
import { tellHeld } from './held-tasks.ts'
import { type Logins, StaleLoginError } from './logins.ts'
import { messageEvent } from './message-event.ts'
import { accountOf, isTrustAsOpened, keyOf, openThread, storedPolicy } from './open-thread.ts'
import { policyInForce } from './policy-in-force.ts'
import { Run } from './run.ts'
import type { Scheduler } from './scheduler.ts'
import type { Settled } from './settled.ts'
import type { Evidence } from './task.ts'
import { changeStatus, refreshWaiting } from './task-status.ts'
import { type TurnEndParts, writeTurnEnd } from './turn-end.ts'
import { turnRequest } from './turn-request.ts'
import { type Found, TurnWatch } from './turn-watch.ts'
import { requeueUnbegun } from './unbegun.ts'
import { giveUp, takeBack } from './undelivered.ts'
import { waitForCodex } from './wait-for-codex.ts'

export interface RunsParts extends TurnEndParts, AttachParts {
  readonly scheduler: Scheduler
  readonly logins: Logins
  readonly now: () => number
  /** A limit has ended: the task goes on by itself. */
  readonly onLimitOver: (taskId: string) => void
  /** The connection broke while a turn was being started: the task is to be recovered. Whether its turn is watched then. */
  readonly onBrokenStart: (taskId: string) => Promise<boolean>
  readonly onTurnEnded: (status: string) => void
}

/** A message that codex dies of whenever it gets it is given up after so many tries. */
const MAX_BROKEN_STARTS = 2
/** So many tasks are kept at hand, with their threads loaded in codex: each costs it two descriptors, and its MCP servers. */
const MAX_RUNS = 50

export class Runs {
  /** Finds turns again. */
  readonly watch: TurnWatch
  readonly #parts: RunsParts
  readonly #runs = new Map<string, Run>()
  readonly #limits: Deadlines

  constructor(parts: RunsParts) {
    this.#parts = parts
    this.watch = new TurnWatch(parts)
    this.#limits = new Deadlines(parts.now, (taskId) => parts.onLimitOver(taskId))
  }

  get(taskId: string): Run | undefined {
    return this.#runs.get(taskId)
  }

  runOf(taskId: string): Run {
    const run = this.#runs.get(taskId) ?? new Run(taskId)
    this.#runs.delete(taskId) // the one used last comes last
    this.#runs.set(taskId, run)
    return run
  }

  forget(taskId: string): void {
    this.#limits.clear(taskId)
    this.#runs.delete(taskId)
  }

  /** There may be a message for this task. Never rejects, never waits. */
  wake(taskId: string): void {
    const run = this.runOf(taskId)
    run.mustLook = true
    if (!run.isDriven) void this.drive(run, () => this.#sendAll(run))
  }

  /** A limited task goes on at this time; until then nobody of its account begins. */
  limit(row: Pick<StoredTask, 'id' | 'codex_home' | 'codex_path'>, until: number): void {
    this.#parts.scheduler.hold(accountOf(row), { until, why: 'the account has hit its limit' })
    this.#limits.set(row.id, until)
  }

  /** Somebody wants a task of this account to go on now. */
  liftHold(row: StoredTask): void {
    this.#parts.scheduler.release(accountOf(row))
  }

  /** Takes a turn that ran before this service did, and sees it to its end. */
  resumeWatching(run: Run, found: Found): void {
    void this.drive(run, async () => {
      if (run.link) run.hold(run.link)
      run.slot?.leave()
      run.slot = this.#parts.scheduler.occupy()
      run.slot.isPaused = await this.#isWaiting(run.taskId)
      await this.#see(run, found, run.link)
      run.letGo() // its place is given back before it waits for the next
      await this.#sendAll(run)
    })
  }

  stop(): void {
    this.#limits.stop()
    this.#parts.scheduler.stop()
    for (const run of this.#runs.values()) run.cancel.abort(new Error('the service is stopping'))
  }

  /** One at a time for each task. What goes wrong in here is the task's, not the service's. */
  async drive(run: Run, work: () => Promise<void>): Promise<void> {
    run.isDriven = true
    try {
      await work()
    } catch (error) {
      if (!this.#isStopping) await this.#fail(run.taskId, error).catch(() => {})
    } finally {
      const mustRecover = run.mustRecover && !this.#isStopping
      run.mustRecover = false
      // Still driven meanwhile: whoever wakes it now only leaves word.
      const isWatched = mustRecover && (await this.#parts.onBrokenStart(run.taskId))
      if (!isWatched) this.#leave(run)
    }
  }

  /** Nobody sees to it any more, unless there is something to be done. */
  #leave(run: Run): void {
    run.letGo()
    run.isDriven = false
    this.#forgetOldest()
    if (run.mustLook && !this.#isStopping) this.wake(run.taskId)
  }

  /** What was at work longest ago is read from the store again when it is wanted. */
  #forgetOldest(): void {
    for (const run of this.#runs.values()) {
      if (this.#runs.size <= MAX_RUNS) return
      if (run.isDriven) continue
      const { taskId, thread, codex, isOpen } = run
      if (isOpen) void codex?.request('thread/unsubscribe', { threadId: thread!.id }).catch(() => {})
      this.#runs.delete(taskId)
      this.#parts.receiver.forget(taskId)
      this.#parts.log.close(taskId)
    }
  }

  get #isStopping(): boolean {
    return this.#parts.links.signal.aborted
  }

  async #sendAll(run: Run): Promise<void> {
    for (;;) {
      run.mustLook = false
      const next = await this.#parts.log.change(({ db }) => this.#next(db, run.taskId))
      if (!next) return
      run.cancel = new AbortController()
      const account = accountOf(next.row)
      const hold = this.#parts.scheduler.holdOf(account)
      if (hold) await tellHeld(this.#parts, account, hold)
      run.slot = await this.#parts.scheduler.enter({
        account,
        signal: AbortSignal.any([run.cancel.signal, this.#parts.links.signal]),
      })
      await this.#turn(run)
      run.letGo()
      await this.#waitToRetry(run)
    }
  }

  /** Interrupting the task, or stopping the service, ends it. */
  async #waitToRetry(run: Run): Promise<void> {
    const waitMs = run.retryAfterMs
    run.retryAfterMs = 0
    if (waitMs === 0) return
    const signal = AbortSignal.any([run.cancel.signal, this.#parts.links.signal])
    await delay(waitMs, undefined, { signal })
  }

  /** A lost or limited task keeps its messages until it is resumed. */
  async #next(db: Db, taskId: string): Promise<{ row: StoredTask; message: StoredMessage } | null> {
    const row = await taskRow(db, taskId)
    if (row?.status !== 'queued') return null
    const [message] = await messageRows(db, taskId, ['queued'])
    return message ? { row, message } : null
  }

  async #isWaiting(taskId: string): Promise<boolean> {
    return (await this.#parts.log.change(({ db }) => taskRow(db, taskId)))?.status === 'waiting'
  }

  /** What it does now that it has a place; null when everything was taken back while it waited. */
  #take(taskId: string): Promise<{ row: StoredTask; message: StoredMessage } | null> {
    return this.#parts.log.change(async (change) => {
      const next = await this.#next(change.db, taskId)
      if (!next) return null
      const { row } = next
      await changeStatus(change, taskId, {
        status: 'starting',
        reason: 'its thread is being opened',
        more: { queued_at: null, limited_until: null, started_at: row.started_at ?? change.now },
      })
      return next
    })
  }

  async #turn(run: Run): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    run.settled = promise
    const taken = await this.#take(run.taskId)
    try {
      if (taken) await this.#run(run, taken)
    } catch (error) {
      if (this.#isStopping) return
      if (isOpenEnded(error) && run.brokenStarts++ < MAX_BROKEN_STARTS) {
        // Did codex get it? Only its history can tell.
        run.mustRecover = true
        return
      }
      if (await waitForCodex(taken!, error, this.#parts)) {
        run.mustLook = true
        return
      }
      if (isThreadGone(error) || error instanceof StaleLoginError) run.isClosed = true
      const waitMs = await requeueUnbegun(taken!, { error, starts: ++run.starts }, this.#parts)
      if (waitMs !== null) {
        run.retryAfterMs = waitMs
        return
      }
      await giveUp(taken!.message, error, this.#parts)
      await this.#fail(run.taskId, error, { starts: run.starts })
      run.brokenStarts = 0
      run.starts = 0
    } finally {
      resolve()
    }
  }

  async #run(run: Run, { row, message }: { row: StoredTask; message: StoredMessage }): Promise<void> {
    await this.#parts.log.open(run.taskId)
    this.#limits.clear(run.taskId)
    const turn = await this.#begin(run, row, message)
    if (!turn) return this.#backOut(run, message)
    await this.#see(run, { turn }, run.link)
  }

  async #backOut(run: Run, message: StoredMessage): Promise<void> {
    if (this.#isStopping) return
    run.isInterruptWanted = false
    await takeBack(message, this.#parts)
  }

  async #begin(run: Run, row: StoredTask, message: StoredMessage): Promise<Turn | null> {
    await this.#leaveIfTrustChanged(run, row)
    if (!run.isOpen) {
      const opened = await openThread(this.#parts, row)
      run.opened(opened)
      this.#parts.receiver.place(opened.thread.id, run.taskId)
    } else await this.#parts.logins.require(run.link!, keyOf(row))
    const { thread, link } = run
    run.hold(link!)
    const { input, options } = turnRequest(row, message)
    const isSending = await this.#parts.log.change(async ({ db, now }) => {
      if (run.isInterruptWanted) return false
      await updateTask(db, run.taskId, {
        thread_id: thread!.id,
        app_server_id: link!.appServer.id,
        effective_policy: JSON.stringify(policyInForce(thread!, options)),
      })
      return updateMessage(db, message.id, {
        from: ['queued'],
        status: 'sending',
        updated_at: now,
      })
    })
    if (!isSending) return null
    await this.#untilFree(run)
    const turn = await thread!.startTurn(input, options).catch((error) => {
      // Only the reply was lost: what runs now is this turn.
      if (hasCode(error, 'request-timeout') && thread!.activeTurn) return thread!.activeTurn
      throw error
    })
    turn.discardEvents()
    await this.#delivered(run, message, turn)
    return turn
  }

  /** codex takes rights only when it opens a thread: one that nobody subscribes to is opened anew by a resume. */
  async #leaveIfTrustChanged(run: Run, row: StoredTask): Promise<void> {
    if (run.isOpen) await this.#untilFree(run)
    const { thread, codex, isOpen } = run
    if (!isOpen || (!run.mustReopen && isTrustAsOpened(thread!, row, this.#parts.trustOf))) return
    await codex!.request('thread/unsubscribe', { threadId: thread!.id })
    run.isClosed = true
  }

  /** codex may run a turn that nobody here has started: a goal's, or one whose start was given up. */
  async #untilFree({ thread, cancel }: Run): Promise<void> {
    for (let active = thread!.activeTurn; active && !cancel.signal.aborted; active = thread!.activeTurn) {
      active.discardEvents()
      await active.outcome
    }
  }

  async #delivered(run: Run, message: StoredMessage, turn: Turn): Promise<void> {
    run.turn = turn
    run.brokenStarts = 0
    run.starts = 0
    await this.#parts.log.change(async (change) => {
      const row = await taskRow(change.db, run.taskId)
      const columns = { status: 'delivered', turn_id: turn.id, updated_at: change.now }
      await updateMessage(change.db, message.id, { from: ['sending'], ...columns })
      change.emit(
        run.taskId,
        'drawbridge/message',
        messageEvent(message, { status: 'delivered', turnId: turn.id }),
      )
      await changeStatus(change, run.taskId, {
        status: 'working',
        reason: 'codex works on it',
        evidence: { turnId: turn.id },
        more: {
          turn_id: turn.id,
          turn_count: (row?.turn_count ?? 0) + 1,
          policy: storedPolicy(run.thread!),
          failure: null,
        },
      })
      // A question can arrive before turn/start's reply.
      const { isWaiting } = await refreshWaiting(change, run.taskId)
      change.after(() => run.pause(isWaiting))
    })
  }

  /** Watches the turn, wherever it has to be looked for, until it is settled in the store. */
  async #see(run: Run, found: Found, link: Run['link']): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    run.settled = promise
    try {
      const settled = await this.watch.settledOf(run, found, link)
      if (!settled) return
      await this.#end(run, settled)
    } finally {
      resolve()
    }
  }

  async #end(run: Run, settled: Settled): Promise<void> {
    const { log, onTurnEnded } = this.#parts
    const { next, row } = await log.change(async (change) => ({
      next: await writeTurnEnd(change, { run, settled }, this.#parts),
      row: await taskRow(change.db, run.taskId),
    }))
    onTurnEnded(settled.status)
    if (settled.failure?.code === 'auth' && run.link) this.#parts.logins.refused(run.link)
    run.turn = null
    run.isInterruptWanted = false
    run.interruptedBy = null
    run.completed.clear()
    if (next?.limitedUntil && row) this.limit(row, next.limitedUntil)
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
