// The task service that every door calls.
import { setTimeout as delay } from 'node:timers/promises'
import { hasCode } from '../codex/index.ts'
import {
  type Followers,
  LeaseLostError,
  listWorkers,
  retryNotice,
  setDraining,
  type TaskEvent,
  targetsInUse,
} from '../store/index.ts'
import { beginTasks } from './begin-tasks.ts'
import { cutOff, stopping } from './cut-off.ts'
import type { Handover } from './handover/index.ts'
import { interruptWithChildren } from './interrupt-below.ts'
import { letGo } from './let-go.ts'
import { type CodexAccount, modelsOf } from './link/index.ts'
import {
  type Approval,
  type AppServerStatus,
  type Caller,
  type Decide,
  type ForkTask,
  type Notice,
  OWN_CODEX,
  type RestoredTask,
  type StartTask,
  type Task,
  type TaskChange,
  TaskError,
  type TaskService,
  type TaskTerminals,
  toWorker,
  type Worker,
} from './model/index.ts'
import { type Draft, findNotice, findOutgoing } from './notices/index.ts'
import { onlyWorker } from './only-worker.ts'
import { commandOf, type TaskActs, taskActs, taskOfApproval } from './task-acts.ts'
import { openTask } from './terminals/index.ts'
import { waitForTask } from './views/index.ts'
import { type DurableTasksOptions, reportTo, type TaskParts, wireTasks } from './wire-tasks.ts'

const DRAIN_LOOK_MS = 200
/** A store that does not answer keeps the end of the service waiting for so long. */
const FLUSH_MS = 5_000
/** A store that has not taken anything for so long is told of at once, instead of being waited for. */
const STALLED_MS = 3_000
const JOIN_AGAIN_MS = 1_000

export class DurableTasks implements TaskService {
  readonly #options: DurableTasksOptions
  readonly #startedAt: number
  #parts: TaskParts
  /** While a worker that was declared lost begins anew. */
  #joining: Promise<void> | null = null
  #recovered: Promise<void> = Promise.resolve()
  #ended: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: DurableTasksOptions) {
    this.#options = options
    this.#startedAt = options.now()
    this.#parts = this.#wire(null)
  }

  /** codex's, on the default key. */
  get account(): CodexAccount {
    return this.#parts.account
  }

  /** For tools, which run where the task is owned. */
  get handover(): Handover {
    return this.#parts.handover
  }

  /** Resolves when it is known of each task that was at work how it goes on. Until then only those wait. */
  get recovered(): Promise<void> {
    return this.#recovered
  }

  readonly terminals: TaskTerminals = {
    attach: (taskId, caller) => this.#act('attach', taskId, [], caller),
    keep: (taskId, caller) => this.#act('keepTerminal', taskId, [], caller),
    open: async (request) => {
      const on = this.#canonical(request)
      return this.get(await this.#using(({ opening }) => openTask({ ...request, ...on }, opening)))
    },
  }

  /** Takes over what an earlier service left running, and starts what is queued. */
  async open(): Promise<void> {
    const { sender } = this.#parts
    const { notify, notices } = this.#options.settings
    const inUse = await targetsInUse(this.#options.database.reader)
    sender.hideSecretsOf([...notify, ...Object.keys(notices.named), ...inUse])
    await this.#parts.files.sweep()
    await this.#begin(this.#parts)
  }

  /** Lets go of everything. Turns in app-servers that outlive us go on. */
  async close(): Promise<void> {
    // From here on these parts are the last ones.
    this.#isClosed = true
    const { log, membership } = this.#parts
    await letGo(this.#parts)
    const giveUp = setTimeout(() => log.abandon(stopping()), FLUSH_MS)
    // It may be in the middle of a change that waits for the database.
    await this.#joining?.catch(() => {})
    await Promise.allSettled([this.#recovered, this.#ended])
    await log.flushed().catch(() => {})
    clearTimeout(giveUp)
    // Others would find out by themselves.
    await membership?.leave().catch(() => {})
  }

  /** Starts no more turns; resolves when none runs, or with the signal. Questions are still answered meanwhile. */
  async drain({ signal }: { signal: AbortSignal }): Promise<void> {
    while (!signal.aborted) {
      // A worker that was declared lost meanwhile has another one.
      const { scheduler, hooks } = this.#parts
      scheduler.stop()
      if (scheduler.working === 0 && hooks.size === 0 && (await this.running()).length === 0) return
      await delay(DRAIN_LOOK_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Turns that run here now, including those that wait for a person. */
  async running(): Promise<readonly Task[]> {
    const { fleet } = this.#options
    const running: Task[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await this.list({ status: ['starting', 'working', 'waiting'], limit: 200, cursor })
      const here = fleet ? page.items.filter(({ worker }) => worker?.id === fleet.id) : page.items
      running.push(...here.filter(({ turnId, status }) => turnId !== null || status === 'starting'))
      cursor = page.cursor
    }
    return running
  }

  list: TaskService['list'] = (query) => this.#parts.views.list(query)
  count: TaskService['count'] = (filter) => this.#parts.views.count(filter)
  get: TaskService['get'] = (taskId) => this.#parts.views.get(taskId)
  show: TaskService['show'] = (taskId, options) => this.#parts.views.show(taskId, options)
  senders: TaskService['senders'] = (taskId) => this.#parts.views.senders(taskId)
  events: TaskService['events'] = (taskId, options) => this.#parts.views.events(taskId, options)
  wholeEvent: TaskService['wholeEvent'] = (taskId, seq) => this.#parts.views.wholeEvent(taskId, seq)
  approvals: TaskService['approvals'] = (query) => this.#parts.views.approvals(query)
  approval: TaskService['approval'] = (approvalId) => this.#parts.views.approval(approvalId)
  deliverables: TaskService['deliverables'] = (taskId) => this.handover.deliverables.list(taskId)
  deliverableContent: TaskService['deliverableContent'] = (taskId, number) =>
    this.handover.deliverables.content(taskId, number)
  answerDeliverable: TaskService['answerDeliverable'] = (taskId, number, answer, caller) =>
    this.#act('answerDeliverable', taskId, [number, answer], caller)
  callerMessages: TaskService['callerMessages'] = (taskId, query) =>
    this.handover.callerMessages.list(taskId, query)
  answerCallerMessage: TaskService['answerCallerMessage'] = (taskId, messageId, answer, caller) =>
    this.#act('answerCallerMessage', taskId, [messageId, answer], caller)
  clearAttention: TaskService['clearAttention'] = (taskId, caller) =>
    this.#act('clearAttention', taskId, [], caller)
  audit: TaskService['audit'] = (query) => this.#parts.views.audit(query)
  notices: TaskService['notices'] = (query) => this.#parts.views.notices(query)
  usage: TaskService['usage'] = (query) => this.#parts.views.usage(query)
  counts: TaskService['counts'] = (options) => this.#parts.views.counts(options)
  rules: TaskService['rules'] = ({ revoked = false } = {}) => this.#parts.rules.list({ revoked })
  wait: TaskService['wait'] = (taskId, options) => waitForTask(taskId, options, this)
  send: TaskService['send'] = (taskId, message, caller) => this.#act('send', taskId, [message], caller)
  cancelMessage: TaskService['cancelMessage'] = (taskId, messageId, caller) =>
    this.#act('cancelMessage', taskId, [messageId], caller)

  uploads: TaskService['uploads'] = (taskId) => this.#parts.views.uploads(taskId)
  addUploads: TaskService['addUploads'] = (taskId, uploads, caller) =>
    this.#act('addUploads', taskId, [uploads], caller)
  removeUpload: TaskService['removeUpload'] = (taskId, uploadId, caller) =>
    this.#act('removeUpload', taskId, [uploadId], caller)
  placeToRead: TaskService['placeToRead'] = async (taskId) => ({ task: await this.get(taskId), within: null })
  placeToUpload: TaskService['placeToUpload'] = (taskId) => this.placeToRead(taskId)

  async start(request: StartTask, caller: Caller): Promise<Task> {
    const on = this.#canonical(request)
    const id = await this.#using(({ actions }) => actions.start({ ...request, ...on }, caller))
    return this.get(id)
  }

  startRestored = async (restored: RestoredTask, caller: Caller): Promise<Task> =>
    this.get(await this.#using((parts) => parts.startRestored(restored, caller)))

  async interrupt(taskId: string, caller: Caller, { children = false } = {}): Promise<Task> {
    const interrupt = (id: string) => this.#act('interrupt', id, [], caller)
    await (children
      ? interruptWithChildren(taskId, caller, { list: this.list, interrupt })
      : interrupt(taskId))
    return this.get(taskId)
  }

  async fork(taskId: string, request: ForkTask, caller: Caller): Promise<Task> {
    return this.get(await this.#act('fork', taskId, [request], caller))
  }

  async resume(taskId: string, options: Parameters<TaskService['resume']>[1], caller: Caller): Promise<Task> {
    await this.#act('resume', taskId, [options], caller)
    return this.get(taskId)
  }

  async change(taskId: string, fields: TaskChange, caller: Caller): Promise<Task> {
    await this.#act('change', taskId, [fields], caller)
    return this.get(taskId)
  }

  async delete(taskId: string, caller: Caller = { actor: 'drawbridge' }): Promise<void> {
    await this.#act('delete', taskId, [], caller)
  }

  follow(taskId: string, options: { after: number; signal: AbortSignal }): AsyncGenerator<TaskEvent, void> {
    // Not `yield*`: that would cost every event a few promises more.
    return this.#parts.log.followers.follow(taskId, { ...options, known: () => this.get(taskId) })
  }

  followAll(options: { signal: AbortSignal }): AsyncIterable<TaskEvent> {
    return this.#parts.log.followers.followAll(options)
  }

  async decide(approvalId: string, decide: Decide, caller: Caller): Promise<Approval> {
    const taskId = await taskOfApproval(this.#options.database.reader, approvalId)
    return this.#act('decide', taskId, [approvalId, decide], caller)
  }

  addRule: TaskService['addRule'] = (rule, caller) => this.#using(({ rules }) => rules.add(rule, caller))
  revokeRule: TaskService['revokeRule'] = (ruleId, caller) =>
    this.#using(({ rules }) => rules.revoke(ruleId, caller))

  async retryNotice(noticeId: string): Promise<Notice> {
    await retryNotice(this.#options.database.db, noticeId, this.#parts.now())
    this.#parts.outbox.wake()
    const notice = await findNotice(this.#options.database.reader, noticeId)
    if (!notice) throw new TaskError('notice-not-found', `there is no notice ${noticeId}`)
    return notice
  }

  async dryRunNotice(noticeId: string): Promise<Draft | { readonly error: string }> {
    const notice = await findOutgoing(this.#options.database.reader, noticeId)
    if (!notice) throw new TaskError('notice-not-found', `there is no notice ${noticeId}`)
    return this.#parts.sender.draft(notice)
  }

  /** Sends what codex wants to say to those who hear of the task. */
  async tellPeople(taskId: string, message: string): Promise<void> {
    await this.#using(({ log, announcer }) =>
      log.change((change) => announcer.announce(change, { cause: 'message', taskId, message })),
    )
  }

  async models(): Promise<readonly unknown[]> {
    const link = await this.#parts.links.get(OWN_CODEX)
    return modelsOf(await link.codex())
  }

  appServers(): readonly AppServerStatus[] {
    const threads = (id: string) => this.#parts.links.byId(id)?.openThreads ?? 0
    return this.#options.appServers.list().map((facts) => ({ ...facts, threads: threads(facts.id) }))
  }

  async workers(): Promise<readonly Worker[]> {
    const { fleet, database } = this.#options
    if (fleet) return (await listWorkers(database.reader)).map((row) => toWorker(row, fleet.id))
    const { scheduler, runs } = this.#parts
    const { settings, now } = this.#options
    return [
      onlyWorker({
        ...{ startedAt: this.#startedAt, now: now(), capacity: settings.maxWorking },
        ...{ working: scheduler.working, tasks: runs.size },
      }),
    ]
  }

  async drainWorker(workerId: string, { isDraining }: { isDraining: boolean }): Promise<Worker> {
    const known = (await this.workers()).find(({ id }) => id === workerId)
    if (!known) throw new TaskError('worker-not-found', `there is no worker ${workerId}`)
    if (!this.#options.fleet)
      throw new TaskError('not-supported', 'the only service cannot be drained: stop it instead')
    const row = await this.#using(({ log }) => log.change(({ db }) => setDraining(db, workerId, isDraining)))
    if (!row) throw new TaskError('not-running', `the worker ${known.name} is ${known.state}`)
    return (await this.workers()).find(({ id }) => id === workerId) ?? known
  }

  #canonical(named: Pick<StartTask, 'codexPath' | 'codexHome'>): typeof named {
    const { codexPath, codexHome } = this.#options.appServers.canonical({
      codexPath: named.codexPath ?? null,
      codexHome: named.codexHome ?? null,
      execHost: null,
    })
    return { codexPath: codexPath ?? undefined, codexHome: codexHome ?? undefined }
  }

  /** Does it where the task is owned. */
  async #act<Name extends keyof TaskActs>(
    name: Name,
    taskId: string,
    given: Parameters<TaskActs[Name]>[1],
    caller: Caller,
  ): Promise<Awaited<ReturnType<TaskActs[Name]>>> {
    type Done = Awaited<ReturnType<TaskActs[Name]>>
    type Act = (id: string, given: unknown, caller: Caller) => Promise<Done>
    return this.#using((parts) => {
      const act = taskActs(parts, this.#options.database.reader)[name] as Act
      const local = async (): Promise<Done> => {
        await parts.recovery.recovering.over(taskId)
        return await act(taskId, given, caller)
      }
      return parts.fleet ? parts.fleet.at(commandOf({ name, taskId, given }, caller), local) : local()
    })
  }

  async #using<T>(work: (parts: TaskParts) => Promise<T>): Promise<T> {
    const parts = await this.#ready()
    try {
      return await work(parts)
    } catch (error) {
      throw error instanceof LeaseLostError ? cutOff(error) : error
    }
  }

  get #isStalled(): boolean {
    const { log, now } = this.#parts
    return log.failingSince !== null && now() - log.failingSince > STALLED_MS
  }

  /** The parts, when they can be used. */
  async #ready(): Promise<TaskParts> {
    if (this.#joining) await Promise.race([this.#joining, delay(STALLED_MS)])
    // The database may be back, and only the log's pause before its next attempt not over.
    if (this.#isStalled) await Promise.race([this.#parts.log.tryNow(), delay(STALLED_MS)])
    if (this.#joining || this.#isStalled)
      throw new TaskError(
        'unavailable',
        'the database does not answer: nothing was done. Turns that run go on',
      )
    return this.#parts
  }

  /** Those who follow go on with the next log. */
  #wire(followers: Followers | null): TaskParts {
    const parts: TaskParts = wireTasks(this.#options, { onLost: () => this.#lost(parts), followers })
    return parts
  }

  async #begin(parts: TaskParts): Promise<void> {
    const { recovered, ended } = await beginTasks(parts)
    this.#recovered = recovered
    this.#ended = ended
    const told = (error: unknown) => {
      // What these parts have not got to the next ones, or the next start, will.
      if (error instanceof LeaseLostError || parts.links.signal.aborted) return
      const message = `tasks that were at work could not be looked for: ${String(error)}`
      this.#options.observer.incident({ type: 'internal', message })
    }
    recovered.catch(told)
    ended.catch(told)
  }

  /** Other workers have declared this one lost: it begins anew, as after a restart. Its app-servers and their turns go on. */
  #lost(parts: TaskParts): void {
    if (parts !== this.#parts || this.#joining || this.#isClosed) return
    const message =
      'other workers had not heard of this one and declared it lost: it joins again, and looks for its turns'
    this.#options.observer.incident({ type: 'worker-lost', message })
    this.#joining = this.#joinAgain().finally(() => {
      this.#joining = null
    })
  }

  async #joinAgain(): Promise<void> {
    // One that drains would end as soon as the old parts let go of it, with the turns in it.
    const release = this.#parts.links.hold()
    try {
      await this.#replaceParts()
    } finally {
      release()
    }
  }

  async #replaceParts(): Promise<void> {
    for (;;) {
      const old = this.#parts
      old.membership?.stop()
      await letGo(old)
      old.log.abandon(new LeaseLostError())
      if (this.#isClosed) return
      this.#parts = this.#wire(old.log.followers)
      try {
        return await this.#begin(this.#parts)
      } catch (error) {
        if (hasCode(error, 'worker-id-in-use')) return this.#options.observer.broken(error)
        reportTo(this.#options.observer, 'worker-lost')(error)
        if (!this.#isClosed) await delay(JOIN_AGAIN_MS)
      }
    }
  }
}
