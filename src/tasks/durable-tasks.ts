// The task service that every door calls.
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { type Resolve, VERSION } from '../codex/index.ts'
import { retryNotice, type TaskEvent, targetsInUse, taskRow } from '../store/index.ts'
import { decideByPerson } from './intake/index.ts'
import { type CodexAccount, modelsOf } from './link/index.ts'
import {
  type Approval,
  type AppServerStatus,
  type Caller,
  type Decide,
  type ForkTask,
  type Notice,
  type StartTask,
  type Task,
  type TaskChange,
  TaskError,
  type TaskService,
  type Worker,
} from './model/index.ts'
import { type Draft, findNotice, findOutgoing } from './notices/index.ts'
import { recoverAll } from './turns/index.ts'
import { waitForTask } from './views/index.ts'
import { type DurableTasksOptions, type TaskParts, wireTasks } from './wire-tasks.ts'

const DRAIN_LOOK_MS = 200
const ALONE = 'local'

export class DurableTasks implements TaskService {
  /** codex's, on the default key. */
  readonly account: CodexAccount
  readonly #options: DurableTasksOptions
  readonly #parts: TaskParts
  readonly #startedAt: number

  constructor(options: DurableTasksOptions) {
    this.#options = options
    this.#startedAt = options.now()
    this.#parts = wireTasks(options)
    this.account = this.#parts.account
  }

  /** Takes over what an earlier service left running, then starts what is queued. */
  async open(): Promise<void> {
    const { links, approvals, sender, outbox, log, runs } = this.#parts
    const { notify, notices } = this.#options.settings
    const inUse = await targetsInUse(this.#options.database.reader)
    sender.hideSecretsOf([...notify, ...Object.keys(notices.named), ...inUse])
    const letGo = await links.adopt()
    try {
      await approvals.restore()
      await recoverAll({ log, runs })
    } finally {
      letGo()
    }
    outbox.wake()
  }

  /** Lets go of everything. Turns in app-servers that outlive us go on. */
  async close(): Promise<void> {
    const { runs, approvals, links, outbox, log } = this.#parts
    runs.stop()
    approvals.stop()
    await links.close()
    await outbox.stop({ deadlineMs: 2_000 })
    await log.flushed().catch(() => {})
  }

  /** Starts no more turns; resolves when none runs, or with the signal. Questions are still answered meanwhile. */
  async drain({ signal }: { signal: AbortSignal }): Promise<void> {
    const { scheduler } = this.#parts
    scheduler.stop()
    while (!signal.aborted && (scheduler.working > 0 || (await this.running()).length > 0))
      await delay(DRAIN_LOOK_MS, undefined, { signal }).catch(() => {})
  }

  /** Turns that run now, including those that wait for a person. */
  async running(): Promise<readonly Task[]> {
    const { items } = await this.list({ status: ['starting', 'working', 'waiting'], limit: 200 })
    return items.filter(({ turnId, status }) => turnId !== null || status === 'starting')
  }

  list: TaskService['list'] = (query) => this.#parts.views.list(query)
  count: TaskService['count'] = (filter) => this.#parts.views.count(filter)
  get: TaskService['get'] = (taskId) => this.#parts.views.get(taskId)
  show: TaskService['show'] = (taskId, options) => this.#parts.views.show(taskId, options)
  events: TaskService['events'] = (taskId, options) => this.#parts.views.events(taskId, options)
  wholeEvent: TaskService['wholeEvent'] = (taskId, seq) => this.#parts.views.wholeEvent(taskId, seq)
  approvals: TaskService['approvals'] = (query) => this.#parts.views.approvals(query)
  approval: TaskService['approval'] = (approvalId) => this.#parts.views.approval(approvalId)
  audit: TaskService['audit'] = (query) => this.#parts.views.audit(query)
  notices: TaskService['notices'] = (query) => this.#parts.views.notices(query)
  usage: TaskService['usage'] = (query) => this.#parts.views.usage(query)
  counts: TaskService['counts'] = () => this.#parts.views.counts()
  send: TaskService['send'] = (taskId, message, caller) => this.#parts.messages.send(taskId, message, caller)
  cancelMessage: TaskService['cancelMessage'] = (taskId, messageId, caller) =>
    this.#parts.messages.cancel(taskId, messageId, caller)
  delete = (taskId: string): Promise<void> => this.#parts.actions.delete(taskId)
  rules: TaskService['rules'] = ({ revoked = false } = {}) => this.#parts.rules.list({ revoked })
  addRule: TaskService['addRule'] = (rule, caller) => this.#parts.rules.add(rule, caller)
  revokeRule: TaskService['revokeRule'] = (ruleId, caller) => this.#parts.rules.revoke(ruleId, caller)
  wait: TaskService['wait'] = (taskId, options) => waitForTask(taskId, options, this)

  async start(request: StartTask, caller: Caller): Promise<Task> {
    const { codexPath, codexHome } = this.#options.appServers.canonical({
      codexPath: request.codexPath ?? null,
      codexHome: request.codexHome ?? null,
    })
    const on = { codexPath: codexPath ?? undefined, codexHome: codexHome ?? undefined }
    return this.get(await this.#parts.actions.start({ ...request, ...on }, caller))
  }

  async interrupt(taskId: string, caller: Caller): Promise<Task> {
    await this.#parts.actions.interrupt(taskId, caller)
    return this.get(taskId)
  }

  async fork(taskId: string, request: ForkTask, caller: Caller): Promise<Task> {
    return this.get(await this.#parts.actions.fork(taskId, request, caller))
  }

  async resume(taskId: string, options: Parameters<TaskService['resume']>[1], caller: Caller): Promise<Task> {
    await this.#parts.actions.resume(taskId, options, caller)
    return this.get(taskId)
  }

  async change(taskId: string, fields: TaskChange, caller: Caller): Promise<Task> {
    await this.#parts.actions.change(taskId, fields, caller)
    return this.get(taskId)
  }

  async *follow(
    taskId: string,
    options: { after: number; signal: AbortSignal },
  ): AsyncGenerator<TaskEvent, void> {
    await this.get(taskId)
    yield* this.#parts.log.followers.follow(taskId, options)
  }

  followAll(options: { signal: AbortSignal }): AsyncIterable<TaskEvent> {
    return this.#parts.log.followers.followAll(options)
  }

  decide(approvalId: string, decide: Decide, { actor }: Caller): Promise<Approval> {
    const { approvals, messages, rules, trustOf, runs } = this.#parts
    return decideByPerson(
      approvalId,
      { ...decide, actor },
      {
        ...{ approvals, messages, rules, trustOf },
        approval: (id) => this.approval(id),
        resolverOf: (approval) => this.#resolverOf(approval),
        wake: (taskId) => runs.wake(taskId),
      },
    )
  }

  async retryNotice(noticeId: string): Promise<Notice> {
    await retryNotice(this.#options.database.db, noticeId, this.#options.now())
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

  async models(): Promise<readonly unknown[]> {
    const link = await this.#parts.links.get({ codexPath: null, codexHome: null })
    return modelsOf(await link.codex())
  }

  appServers(): readonly AppServerStatus[] {
    const threads = (id: string) => this.#parts.links.byId(id)?.openThreads ?? 0
    return this.#options.appServers.list().map((facts) => ({ ...facts, threads: threads(facts.id) }))
  }

  async workers(): Promise<readonly Worker[]> {
    return [this.#alone()]
  }

  async drainWorker(workerId: string, { isDraining }: { isDraining: boolean }): Promise<Worker> {
    if (workerId !== ALONE) throw new TaskError('worker-not-found', `there is no worker ${workerId}`)
    if (isDraining)
      throw new TaskError('not-supported', 'the only service cannot be drained: stop it instead')
    return this.#alone()
  }

  /** Without a shared store this service is the only worker. */
  #alone(): Worker {
    const { now, settings } = this.#options
    const machine = hostname()
    return {
      ...{ id: ALONE, name: machine, machine, version: VERSION, labels: [], state: 'up', url: null },
      capacity: settings.maxWorking,
      working: this.#parts.scheduler.working,
      tasks: this.#parts.runs.size,
      startedAt: this.#startedAt,
      ...{ beatAt: now(), silentMs: 0, isThis: true },
    }
  }

  /** Paths are resolved where the task's codex runs. */
  async #resolverOf({ taskId }: Approval): Promise<Resolve> {
    const row = await taskRow(this.#options.database.reader, taskId)
    return this.#parts.links.byId(row?.app_server_id ?? null)?.appServer.host.realPath ?? (() => null)
  }
}
