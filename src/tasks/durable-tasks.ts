// The task service: introduces the parts of this room to each other and is what every door calls.
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Resolve, UserInputQuestion } from '../codex/index.ts'
import {
  EventLog,
  type OpenDatabase,
  retryNotice,
  type TaskEvent,
  targetsInUse,
  taskRow,
  wholeFramesIn,
} from '../store/index.ts'
import { CodexAccount } from './account.ts'
import { Announcer } from './announcer.ts'
import type { AppServerStatus, AppServers } from './app-servers.ts'
import type { Approval, StandingRule } from './approval.ts'
import { Approvals } from './approvals.ts'
import { modelsOf } from './codex-facts.ts'
import { Gate } from './gate.ts'
import { tellHeld } from './held-tasks.ts'
import { incidentText, writeIncident } from './incidents.ts'
import { type Link, Links } from './links.ts'
import { Logins, type MayLackLogin } from './logins.ts'
import { Messages } from './messages.ts'
import {
  type Draft,
  findNotice,
  findOutgoing,
  type Notice,
  NoticeSender,
  OutboxWorker,
  storedOutbox,
} from './notifications/index.ts'
import type { TrustOf } from './open-thread.ts'
import { decideByPerson } from './person-decision.ts'
import { Receiver } from './receiver.ts'
import { recoverAll } from './recover-all.ts'
import { RuleBook } from './rule-book.ts'
import { Runs } from './runs.ts'
import { Scheduler } from './scheduler.ts'
import type { TaskSettings } from './settings.ts'
import type { Task } from './task.ts'
import { TaskActions } from './task-actions.ts'
import { TaskError } from './task-errors.ts'
import type { TaskObserver } from './task-observer.ts'
import { TaskQuestions } from './task-questions.ts'
import type {
  Caller,
  Decide,
  ForkTask,
  Message,
  SendMessage,
  StartTask,
  TaskChange,
  TaskService,
} from './task-service.ts'
import { TaskViews } from './task-views.ts'
import { waitForTask } from './wait-for-task.ts'

export interface DurableTasksOptions {
  readonly database: OpenDatabase
  readonly dataDir: string
  readonly appServers: AppServers
  /** Which folders people trust. By default none is. */
  readonly trustOf?: TrustOf
  /** By default none does: a task without a login is not refused, and fails at once. */
  readonly mayLackLogin?: MayLackLogin
  readonly settings: TaskSettings
  readonly now: () => number
  /** Hears what happens, for metrics and logs. */
  readonly observer: TaskObserver
}

const DRAIN_LOOK_MS = 200

export class DurableTasks extends TaskViews implements TaskService {
  /** codex's, on the default key. */
  readonly account: CodexAccount
  readonly #options: DurableTasksOptions
  readonly #log: EventLog
  readonly #links: Links
  readonly #logins: Logins
  readonly #receiver: Receiver
  readonly #scheduler: Scheduler
  readonly #approvals: Approvals
  readonly #runs: Runs
  readonly #messages: Messages
  readonly #actions: TaskActions
  readonly #announcer: Announcer
  readonly #sender: NoticeSender
  readonly #worker: OutboxWorker
  readonly #gate = new Gate()
  readonly #rules: RuleBook
  readonly #questions: TaskQuestions

  constructor(options: DurableTasksOptions) {
    const { database, settings, now, observer, dataDir } = options
    const wholeFrames = wholeFramesIn(path.join(dataDir, 'frames'))
    super({ reader: database.reader, frames: wholeFrames, now })
    this.#options = options
    this.#announcer = new Announcer({ baseUrl: () => settings.baseUrl, wake: () => this.#worker.wake() })
    this.#sender = new NoticeSender({ ...settings.notices, now })
    this.#worker = new OutboxWorker({
      outbox: storedOutbox(database.db),
      sender: this.#sender,
      onError: (error) => this.#report(error),
    })
    this.#log = new EventLog({
      db: database.db,
      reader: database.reader,
      now,
      wholeFrames,
      onStored: (count) => observer.eventsStored(count),
      onEffectError: (error) => this.#report(error),
      onBroken: (error) => observer.broken(error),
    })
    this.#rules = new RuleBook({ log: this.#log, reader: database.reader, gate: this.#gate, now })
    const onError = (error: unknown) => this.#report(error)
    this.#receiver = new Receiver({
      log: this.#log,
      ask: (asked, context) => this.#questions.ask(asked, context),
      incident: (taskId, incident) => writeIncident(taskId, incident, { log: this.#log, onError }),
    })
    this.#links = new Links({
      appServers: options.appServers,
      listener: {
        notification: ({ method }) => {
          if (method === 'account/updated') this.#logins.forget()
        },
        answered: (answered) => observer.rpcAnswered?.(answered),
        incident: (incident) => observer.incident({ type: incident.type, message: incidentText(incident) }),
      },
    })
    this.account = new CodexAccount({ link: () => this.#defaultLink(), now })
    this.#scheduler = new Scheduler({
      maxWorking: settings.maxWorking,
      now,
      onHold: (account, hold) =>
        void tellHeld({ log: this.#log }, account, hold).catch((error) => this.#report(error)),
    })
    const { appServers, mayLackLogin } = options
    const asked = { links: this.#links, appServers, scheduler: this.#scheduler, account: this.account }
    this.#logins = new Logins({ ...asked, mayLackLogin, now })
    this.#approvals = new Approvals({
      log: this.#log,
      now,
      announce: (change, cause, approval) =>
        this.#announcer.announce(change, { cause, taskId: approval.taskId, approval }),
      onWaiting: (taskId, isWaiting) => this.#pause(taskId, isWaiting),
      onAsyncAnswer: (change, approval, answer) => this.#questions.putAnswer(change, approval, answer),
    })
    const shared = {
      log: this.#log,
      links: this.#links,
      receiver: this.#receiver,
      approvals: this.#approvals,
      logins: this.#logins,
      onQuestion: this.#noteMissed,
      trustOf: this.#trustOf,
      now,
    }
    this.#runs = new Runs({
      ...shared,
      scheduler: this.#scheduler,
      announce: (change, cause, taskId) => this.#announcer.announce(change, { cause, taskId }),
      onLimitOver: (taskId) => void this.#actions.resumeLimited(taskId).catch((error) => this.#report(error)),
      onTurnEnded: (status) => observer.turnEnded(status),
    })
    this.#messages = new Messages({ ...shared, runs: this.#runs })
    this.#questions = new TaskQuestions({
      ...shared,
      reader: database.reader,
      gate: this.#gate,
      messages: this.#messages,
      announcer: this.#announcer,
      timeoutMs: settings.approvalTimeoutMs,
    })
    this.#actions = new TaskActions({
      ...shared,
      runs: this.#runs,
      messages: this.#messages,
      wholeFrames,
      defaultNotify: settings.notify,
      problemWithTarget: (target) => this.#sender.problemWith(target),
      hideSecretsOf: (targets) => this.#sender.hideSecretsOf(targets),
    })
  }

  /** Takes over what an earlier service left, then what waits begins. */
  async open(): Promise<void> {
    const { notify, notices } = this.#options.settings
    const inUse = await targetsInUse(this.#options.database.reader)
    this.#sender.hideSecretsOf([...notify, ...Object.keys(notices.named), ...inUse])
    await this.#rules.refresh()
    const letGo = await this.#links.adopt()
    try {
      await this.#approvals.restore()
      await recoverAll({ log: this.#log, runs: this.#runs })
    } finally {
      letGo()
    }
    this.#worker.wake()
  }

  /** Lets go of everything. Turns in app-servers that outlive us go on. */
  async close(): Promise<void> {
    this.#runs.stop()
    this.#approvals.stop()
    await this.#links.close()
    await this.#worker.stop({ deadlineMs: 2_000 })
    await this.#log.flushed().catch(() => {})
  }

  /** No turn begins any more; resolves when none runs, or with the signal. Questions are still answered meanwhile. */
  async drain({ signal }: { signal: AbortSignal }): Promise<void> {
    this.#scheduler.stop()
    while (!signal.aborted && (this.#scheduler.working > 0 || (await this.running()).length > 0))
      await delay(DRAIN_LOOK_MS, undefined, { signal }).catch(() => {})
  }

  /** Turns that run now, those that wait for a person among them. */
  async running(): Promise<readonly Task[]> {
    const { items } = await this.list({ status: ['starting', 'working', 'waiting'], limit: 200 })
    return items.filter(({ turnId, status }) => turnId !== null || status === 'starting')
  }

  async start(request: StartTask, caller: Caller): Promise<Task> {
    const { codexPath, codexHome } = this.#options.appServers.canonical({
      codexPath: request.codexPath ?? null,
      codexHome: request.codexHome ?? null,
    })
    const on = { codexPath: codexPath ?? undefined, codexHome: codexHome ?? undefined }
    return this.get(await this.#actions.start({ ...request, ...on }, caller))
  }

  send(taskId: string, message: SendMessage, caller: Caller): Promise<Message> {
    return this.#messages.send(taskId, message, caller)
  }

  cancelMessage(taskId: string, messageId: string, caller: Caller): Promise<Message> {
    return this.#messages.cancel(taskId, messageId, caller)
  }

  async interrupt(taskId: string, caller: Caller): Promise<Task> {
    await this.#actions.interrupt(taskId, caller)
    return this.get(taskId)
  }

  async fork(taskId: string, request: ForkTask, caller: Caller): Promise<Task> {
    return this.get(await this.#actions.fork(taskId, request, caller))
  }

  async resume(taskId: string, options: Parameters<TaskService['resume']>[1], caller: Caller): Promise<Task> {
    await this.#actions.resume(taskId, options, caller)
    return this.get(taskId)
  }

  wait(taskId: string, options: Parameters<TaskService['wait']>[1]): Promise<Task> {
    return waitForTask(taskId, options, this)
  }

  async change(taskId: string, fields: TaskChange, caller: Caller): Promise<Task> {
    await this.#actions.change(taskId, fields, caller)
    return this.get(taskId)
  }

  delete(taskId: string): Promise<void> {
    return this.#actions.delete(taskId)
  }

  async *follow(
    taskId: string,
    options: { after: number; signal: AbortSignal },
  ): AsyncGenerator<TaskEvent, void> {
    await this.get(taskId)
    yield* this.#log.followers.follow(taskId, options)
  }

  followAll(options: { signal: AbortSignal }): AsyncIterable<TaskEvent> {
    return this.#log.followers.followAll(options)
  }

  decide(approvalId: string, decide: Decide, { actor }: Caller): Promise<Approval> {
    return decideByPerson(
      approvalId,
      { ...decide, actor },
      {
        approvals: this.#approvals,
        messages: this.#messages,
        rules: this.#rules,
        approval: (id) => this.approval(id),
        resolverOf: (approval) => this.#resolverOf(approval),
        trustOf: this.#trustOf,
        wake: (taskId) => this.#runs.wake(taskId),
      },
    )
  }

  rules({ revoked = false }: { revoked?: boolean } = {}): Promise<readonly StandingRule[]> {
    return this.#rules.list({ revoked })
  }

  addRule(rule: { text: string; note?: string }, caller: Caller): Promise<StandingRule> {
    return this.#rules.add(rule, caller)
  }

  revokeRule(ruleId: string, caller: Caller): Promise<StandingRule> {
    return this.#rules.revoke(ruleId, caller)
  }

  async retryNotice(noticeId: string): Promise<Notice> {
    await retryNotice(this.#options.database.db, noticeId, this.#options.now())
    this.#worker.wake()
    const notice = await findNotice(this.#options.database.reader, noticeId)
    if (!notice) throw new TaskError('notice-not-found', `there is no notice ${noticeId}`)
    return notice
  }

  async dryRunNotice(noticeId: string): Promise<Draft | { readonly error: string }> {
    const notice = await findOutgoing(this.#options.database.reader, noticeId)
    if (!notice) throw new TaskError('notice-not-found', `there is no notice ${noticeId}`)
    return this.#sender.draft(notice)
  }

  async models(): Promise<readonly unknown[]> {
    return modelsOf(await (await this.#defaultLink()).codex())
  }

  appServers(): readonly AppServerStatus[] {
    const threads = (id: string) => this.#links.byId(id)?.openThreads ?? 0
    return this.#options.appServers.list().map((facts) => ({ ...facts, threads: threads(facts.id) }))
  }

  /** Paths are resolved where the task's codex runs. */
  async #resolverOf({ taskId }: Approval): Promise<Resolve> {
    const row = await taskRow(this.#options.database.reader, taskId)
    return this.#links.byId(row?.app_server_id ?? null)?.appServer.host.realPath ?? (() => null)
  }

  readonly #trustOf: TrustOf = (place) => this.#options.trustOf?.(place) ?? {}

  readonly #noteMissed = (taskId: string, question: UserInputQuestion): void => {
    this.#questions.note(taskId, question).catch((error) => this.#report(error))
  }

  #defaultLink(): Promise<Link> {
    return this.#links.get({ codexPath: null, codexHome: null })
  }

  #pause(taskId: string, isWaiting: boolean): void {
    this.#runs.get(taskId)?.pause(isWaiting)
  }

  #report(error: unknown): void {
    this.#options.observer.incident({ type: 'internal', message: String(error) })
  }
}
