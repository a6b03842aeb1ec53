// What people do with tasks as a whole: start, interrupt, fork, resume, change, delete.
import { redact, redactValue, type TurnInput } from '../../codex/index.ts'
import {
  type Change,
  type Db,
  deleteTask,
  type EventLog,
  hasEnded,
  insertTask,
  type KeptFiles,
  labelsOf,
  messageRows,
  type StoredMessage,
  type StoredTask,
  setLabels,
  type TaskInsert,
  type TaskStatus,
  taskRow,
  taskRowByKey,
  updateMessage,
  updateTask,
  type WholeFrames,
} from '../../store/index.ts'
import { type Approvals, checkRules } from '../approvals/index.ts'
import type { Logins, TrustOf } from '../link/index.ts'
import { changeStatus, messageEvent, queued } from '../log/index.ts'
import {
  type Caller,
  type ForkTask,
  type HostDirectory,
  isAbove,
  type StartTask,
  type TaskAccounts,
  type TaskChange,
  TaskError,
  type TaskTools,
  type TaskWorkspaces,
  untrusted,
} from '../model/index.ts'
import { keptOverrides, type Runs, wants } from '../turns/index.ts'
import { checkHost, toolsOfNew } from './check-host.ts'
import { checkTargets, type TargetParts } from './check-targets.ts'
import { creatorColumns, creatorOf, type FamilyParts, familyColumns } from './family.ts'
import { refuseSecondWriter } from './folder-writers.ts'
import { forkRow, refuseUnknownTurn } from './fork-row.ts'
import type { Messages } from './messages.ts'
import { checkPreset, hashOf, newTask, titleOf } from './new-task.ts'
import { withNetwork } from './retry.ts'
import { placeOf, placeOfFork } from './task-place.ts'

export interface TaskActionsParts extends FamilyParts, TargetParts {
  readonly log: EventLog
  readonly runs: Runs
  readonly logins: Logins
  readonly messages: Messages
  readonly approvals: Approvals
  readonly wholeFrames: WholeFrames
  readonly files: KeptFiles
  readonly trustOf: TrustOf
  readonly now: () => number
  readonly defaultNotify: readonly string[]
  /** Gives up the turn of a task whose worker is gone. False: this service runs it, or could. */
  readonly endElsewhere: (taskId: string, actor: string) => Promise<boolean>
  /** Whether a task is run here. */
  readonly owns: (taskId: string) => boolean
  /** Whether a new task is to run on this machine, as far as that is known. */
  readonly mustBeHere: (request: Pick<StartTask, 'on' | 'cwd' | 'host'>) => Promise<boolean>
  /** What a new task gets of the host's tools. Throws for one that cannot be had. */
  readonly toolsFor: TaskTools['namesFor']
  /** null: this service keeps none. */
  readonly accounts: Pick<TaskAccounts, 'find'> | null
  readonly hosts: HostDirectory
  /** null: this service makes none. */
  readonly workspaces: Pick<TaskWorkspaces, 'plan' | 'planFork'> | null
  /** What keeps a new task on this worker, where its workspace is. */
  readonly onlyHere: Pick<TaskInsert, 'wants'>
}

/** What a task that goes on without a word of its user is told. */
const CONTINUE = 'Continue.'

export class TaskActions {
  readonly #parts: TaskActionsParts

  constructor(parts: TaskActionsParts) {
    this.#parts = parts
  }

  /** The id of the task. */
  async start(request: StartTask, { actor, grant }: Caller): Promise<string> {
    const { now, defaultNotify, log, runs } = this.#parts
    checkTargets(request.notify ?? [], this.#parts)
    const homeThere = await checkHost(request, this.#parts)
    const isHere = await this.#parts.mustBeHere(request)
    const tools = toolsOfNew(request, { isHere, homeThere, toolsFor: this.#parts.toolsFor })
    const account = await this.#accountOf(request)
    const place = await placeOf(request, { isHere, log, workspaces: this.#parts.workspaces })
    const { task, labels } = newTask(request, { now: now(), defaultNotify, isHere, tools, account, place })
    // Another machine has its own logins, and its own trusted folders: its worker looks at those before it begins.
    if (isHere || request.host !== undefined) this.#checkTrust(request)
    if (isHere && account === null && homeThere === null) await this.#refuseWithoutLogin(request)
    const { id, isNew } = await log.change(async (change) => {
      const earlier = request.idempotencyKey && (await taskRowByKey(change.db, request.idempotencyKey))
      if (earlier) return { id: sameRequest(earlier, request), isNew: false }
      const family = await familyColumns(change.db, { request, caller: { actor, grant } }, this.#parts)
      const there = homeThere === null ? {} : { codex_home: homeThere }
      if (!request.shareFolder)
        await refuseSecondWriter(
          change.db,
          { ...task, host: task.host ?? null, workspace: task.workspace ?? null },
          { parent: family.parent ?? null },
        )
      await insertTask(
        change.db,
        { ...task, ...there, ...family, ...(place && this.#parts.onlyHere) },
        labels,
      )
      await place?.record(change.db, task)
      await this.#announceNew(change, task.id, { input: request.prompt, actor })
      return { id: task.id, isNew: true }
    })
    if (isNew) runs.wake(id)
    return id
  }

  async #accountOf({ account }: StartTask): Promise<Awaited<ReturnType<TaskAccounts['find']>> | null> {
    if (account === undefined) return null
    if (!this.#parts.accounts) throw new TaskError('not-supported', 'this service keeps no accounts')
    return this.#parts.accounts.find(account)
  }

  /** One that was started before, with the same key, is what it is. */
  async #refuseWithoutLogin({ idempotencyKey, ...request }: StartTask): Promise<void> {
    const { log, logins } = this.#parts
    const earlier = idempotencyKey && (await log.change(({ db }) => taskRowByKey(db, idempotencyKey)))
    if (earlier) return
    const { codexPath = null, codexHome = null, host: execHost = null } = request
    await logins.refuseWithout({ codexPath, codexHome, execHost })
  }

  async fork(taskId: string, request: ForkTask, { actor, grant }: Caller): Promise<string> {
    const { log, runs, now, defaultNotify } = this.#parts
    const { prompt, idempotencyKey } = request
    const place = await placeOfFork(await log.change(({ db }) => this.#row(db, taskId)), this.#parts)
    const { id, isNew } = await log.change(async (change) => {
      const earlier = idempotencyKey && (await taskRowByKey(change.db, idempotencyKey))
      if (earlier) return { id: sameRequest(earlier, { ...request, taskId }), isNew: false }
      const from = await this.#row(change.db, taskId)
      if (from.thread_id === null)
        throw new TaskError('not-resumable', 'it has no thread yet: there is nothing to fork')
      await refuseUnknownTurn(change.db, from, request.lastTurnId)
      const made = { now: now(), defaultNotify, isHere: this.#parts.owns(from.id), place }
      const row = { ...forkRow(from, request, made), ...creatorColumns(creatorOf(grant, from.host)) }
      if (prompt !== undefined && !request.shareFolder)
        await refuseSecondWriter(change.db, { ...from, cwd: row.cwd })
      await insertTask(change.db, row, await labelsOf(change.db, taskId))
      await place?.record(change.db, row)
      const { id, status, reason } = row
      if (prompt === undefined)
        change.emit(id, 'drawbridge/task', {
          status: status as TaskStatus,
          waitingFor: null,
          reason,
          evidence: {},
        })
      else await this.#announceNew(change, id, { input: prompt, actor })
      return { id, isNew: true }
    })
    if (isNew) runs.wake(id)
    return id
  }

  /** Whoever says so knows better than a limit: the others of the account may go on too. */
  async resume(taskId: string, options: { prompt?: TurnInput }, caller: Caller): Promise<void> {
    this.#parts.runs.liftHold(await this.#goOn(taskId, options, caller))
  }

  async #goOn(taskId: string, { prompt }: { prompt?: TurnInput }, caller: Caller): Promise<StoredTask> {
    const { log, runs, messages } = this.#parts
    const resumed = await log.change(async (change) => {
      const row = await this.#row(change.db, taskId)
      if (!hasEnded(row.status as TaskStatus))
        throw new TaskError('task-running', `the task is ${row.status}: there is nothing to resume`)
      if (prompt === undefined && (await this.#takeUp(change, taskId, caller)))
        await changeStatus(change, taskId, queued(change.now))
      else {
        if (prompt === undefined) refuseDone(row)
        const overrides = keptOverrides(undefined, caller.grant)
        await messages.queue(change, row, { input: prompt ?? CONTINUE, actor: caller.actor, overrides })
      }
      return row
    })
    runs.wake(taskId)
    return resumed
  }

  /** In a change: what codex never got is put back into the queue, unless it had something later. Whether there is any. */
  async #takeUp({ db, now }: Change, taskId: string, caller: Caller): Promise<boolean> {
    const all = await messageRows(db, taskId, ['queued', 'sending', 'delivered', 'failed', 'cancelled'])
    const since = all.slice(all.findLastIndex(({ status }) => status === 'delivered') + 1)
    for (const message of since) {
      // A steer that failed was refused to its sender's face.
      const from = message.mode === 'queue' ? ['failed', 'cancelled'] : ['cancelled']
      if (message.input === null || !from.includes(message.status)) continue
      refuseWider(message, caller)
      await updateMessage(db, message.id, { from, status: 'queued', updated_at: now })
    }
    return (await messageRows(db, taskId, ['queued'])).length > 0
  }

  /** The limit is over: it goes on once; should it hit the next limit, it is counted. */
  async resumeLimited(taskId: string): Promise<void> {
    const isLimited = await this.#parts.log.change(async ({ db }) => {
      const row = await taskRow(db, taskId)
      if (row?.status !== 'limited') return false
      await updateTask(db, taskId, { limit_resumes: row.limit_resumes + 1 })
      return true
    })
    if (isLimited) await this.#goOn(taskId, {}, { actor: 'drawbridge' })
  }

  async interrupt(taskId: string, { actor }: Caller): Promise<void> {
    const { log, runs } = this.#parts
    if (await this.#takeOut(taskId, actor)) return
    const row = await log.change(({ db }) => this.#row(db, taskId))
    if (hasEnded(row.status as TaskStatus))
      throw new TaskError('not-running', `the task is ${row.status}: nothing runs`)
    if (await this.#parts.endElsewhere(taskId, actor)) return
    const run = runs.get(taskId)
    if (!run?.hasTurn) return this.#hasEnded(row)
    const { settled, turn } = run
    // Whoever has to find the turn again first will see to it.
    run.interruptedBy = actor
    run.preparing?.abort(new DOMException(`the task was interrupted by ${actor}`, 'AbortError'))
    if (turn && !turn.hasEnded) await Promise.race([turn.interrupt(), run.whenAway])
    await Promise.race([settled, run.whenAway])
    if (run.isAway) throw away(row)
  }

  /** Nobody watches its turn: it has just ended. Otherwise an interrupt would be accepted that nobody carries out. */
  async #hasEnded({ id, turn_id, status }: StoredTask): Promise<void> {
    const row = await this.#parts.log.change(({ db }) => this.#row(db, id))
    const isStarting = status === 'starting' && row.status === 'starting'
    if (isStarting || (turn_id !== null && row.turn_id === turn_id))
      throw new TaskError('unavailable', 'its turn is not watched yet. Nothing was done: try again')
  }

  async change(taskId: string, fields: TaskChange, { actor }: Caller): Promise<void> {
    const { log } = this.#parts
    checkPreset(fields.preset)
    checkRules(fields.rules ?? [])
    checkTargets(fields.notify ?? [], this.#parts)
    await log.change(async (change) => {
      const row = await this.#row(change.db, taskId)
      if (fields.archived && !hasEnded(row.status as TaskStatus))
        throw new TaskError('task-running', `the task is ${row.status}: interrupt it before it is archived`)
      if (fields.labels)
        await setLabels(
          change.db,
          taskId,
          fields.labels.map((label) => redact(label)),
        )
      await updateTask(change.db, taskId, {
        updated_at: change.now,
        ...(fields.title !== undefined && { title: titleOf(redact(fields.title)) }),
        ...(fields.archived !== undefined && { archived_at: fields.archived ? change.now : null }),
        ...(fields.notify && { notify: JSON.stringify(fields.notify) }),
        ...(fields.preset && { preset: fields.preset }),
        ...(fields.rules && { rules: JSON.stringify(fields.rules) }),
        ...(fields.network !== undefined && { policy: withNetwork(row, fields.network) }),
      })
      const { notify: _, ...shown } = fields
      change.emit(taskId, 'drawbridge/changed', { fields: redactValue(shown) as never, actor })
    })
  }

  async delete(taskId: string): Promise<void> {
    const { log, runs, wholeFrames, files } = this.#parts
    await log.change(async ({ db }) => {
      const row = await this.#row(db, taskId)
      if (!hasEnded(row.status as TaskStatus))
        throw new TaskError('task-running', `the task is ${row.status}: interrupt it first`)
      await deleteTask(db, taskId)
    })
    runs.forget(taskId)
    log.close(taskId)
    log.followers.end(taskId)
    await wholeFrames.forget(taskId)
    await files.forget(taskId)
  }

  async #announceNew(
    change: Change,
    taskId: string,
    message: { input: TurnInput; actor: string },
  ): Promise<void> {
    const reason = 'it waits for its turn'
    change.emit(taskId, 'drawbridge/task', { status: 'queued', waitingFor: null, reason, evidence: {} })
    await this.#parts.messages.queue(change, (await taskRow(change.db, taskId))!, message)
  }

  /** A task that has not begun is taken out of the queue. False: it has, or has ended. */
  async #takeOut(taskId: string, actor: string): Promise<boolean> {
    const { log, runs, approvals } = this.#parts
    const isOut = await log.change(async (change) => {
      const row = await this.#row(change.db, taskId)
      if (!hasNotBegun(row)) return false
      // The input stays: it is what a resume begins with.
      for (const message of await messageRows(change.db, row.id, ['queued'])) {
        await updateMessage(change.db, message.id, {
          from: ['queued'],
          status: 'cancelled',
          updated_at: change.now,
        })
        const why = `the task was interrupted by ${actor}`
        change.emit(
          row.id,
          'drawbridge/message',
          messageEvent(message, { status: 'cancelled', turnId: null, why }),
        )
      }
      await changeStatus(change, row.id, {
        status: 'interrupted',
        reason: `it was taken out of the queue by ${actor}`,
        more: { queued_at: null, limited_until: null },
      })
      await approvals.withdrawAll(change, {
        taskId: row.id,
        why: 'the task was interrupted',
        isAsync: true,
      })
      return true
    })
    if (isOut) runs.get(taskId)?.cancel.abort(new DOMException('it was taken out of the queue', 'AbortError'))
    return isOut
  }

  async #row(db: Db, taskId: string): Promise<StoredTask> {
    const row = await taskRow(db, taskId)
    if (!row) throw new TaskError('task-not-found', `there is no task ${taskId}`)
    return row
  }

  /** Without a sandbox nothing would keep what the repository makes codex do from logins. */
  #checkTrust({ cwd, codexHome, host, policy }: StartTask): void {
    const isNamed = policy?.permissions !== undefined && policy.permissions !== ':read-only'
    if (policy?.sandbox !== 'danger-full-access' && !isNamed) return
    if (
      this.#parts.trustOf({ cwd, codexHome: codexHome ?? null, host: host ?? null }).trustedRoot !== undefined
    )
      return
    throw untrusted(cwd)
  }
}

function away({ host }: StoredTask): TaskError {
  return new TaskError(
    'unavailable',
    `host ${host} is away, and codex may go on there: the turn is interrupted as soon as it is back`,
  )
}

/** It waits for its turn, for a limit to end, or for an answer that codex does not wait for. */
function hasNotBegun({ status, turn_id, waiting_for }: StoredTask): boolean {
  if (status === 'waiting') return turn_id === null && waiting_for !== 'worker'
  return status === 'queued' || status === 'limited'
}

/** What another was allowed to ask for is not a token's to begin. */
function refuseWider(message: StoredMessage, { actor, grant }: Caller): void {
  if (!grant || message.actor === actor || !isAbove(wants(message), grant.ceiling)) return
  throw new TaskError(
    'not-permitted',
    `the token ${grant.name} may not take up a message of ${message.actor} that asks for more than its ceiling: ` +
      "resume it with a prompt, or with the owner's token or the console",
    { details: { token: grant.name, needs: 'owner' } },
  )
}

/** Nothing was left undone: another turn is begun by who says what it is for. */
function refuseDone({ status }: StoredTask): void {
  if (status === 'completed' || status === 'idle')
    throw new TaskError(
      'not-resumable',
      `the task is ${status}: nothing was left to resume; send it a message to go on`,
    )
}

function sameRequest(earlier: StoredTask, request: object): string {
  if (earlier.request_hash !== hashOf(request))
    throw new TaskError('idempotency-mismatch', 'this idempotency key was used for another task', {
      details: { taskId: earlier.id },
    })
  return earlier.id
}
