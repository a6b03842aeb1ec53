// The task service: introduces the parts of this room to each other and is what every door calls.
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import {
  type Answer,
  type Approver,
  answerText,
  judge,
  parseRuleText,
  type Question,
  type RuleDecision,
  redact,
} from '../codex/index.ts'
import { Announcer } from './announcer.ts'
import type { AppServerFacts, AppServers } from './app-servers.ts'
import type { Approval, AuditEntry, StandingRule } from './approval.ts'
import { Approvals, type Verdict } from './approvals.ts'
import { type Change, EventLog } from './event-log.ts'
import { Gate } from './gate.ts'
import { type Link, Links } from './links.ts'
import { Messages } from './messages.ts'
import { checkRules } from './new-task.ts'
import {
  type Draft,
  type Notice,
  type NoticeQuery,
  NoticeSender,
  OutboxWorker,
} from './notifications/index.ts'
import { wholeFramesIn } from './oversize.ts'
import { allows } from './proposed-rule.ts'
import { Receiver } from './receiver.ts'
import { recoverAll } from './recovery.ts'
import { Runs } from './runs.ts'
import { Scheduler } from './scheduler.ts'
import type { TaskSettings } from './settings.ts'
import {
  approvalRow,
  insertRule,
  listApprovals,
  listAudit,
  listRules,
  openApprovals,
  pendingApprovals,
  revokeRule,
  toApproval,
  toRule,
} from './store/approval-rows.ts'
import type { OpenDatabase } from './store/database.ts'
import { eventPage } from './store/event-rows.ts'
import { messageRows, toMessage } from './store/message-rows.ts'
import {
  countNotices,
  findNotice,
  findOutgoing,
  listNotices,
  retryNotice,
  storedOutbox,
} from './store/outbox-rows.ts'
import { countByStatus, findTask, listTasks, taskRow } from './store/task-rows.ts'
import { hasEnded, type Page, type Task, type TaskQuery } from './task.ts'
import { TaskActions } from './task-actions.ts'
import { TaskError } from './task-errors.ts'
import type { TaskEvent } from './task-event.ts'
import type {
  Caller,
  Decide,
  EventPage,
  Message,
  SendMessage,
  StartTask,
  TaskChange,
  TaskCounts,
  TaskDetail,
  TaskService,
} from './task-service.ts'

export interface DurableTasksOptions {
  readonly database: OpenDatabase
  readonly dataDir: string
  readonly appServers: AppServers
  readonly settings: TaskSettings
  readonly now: () => number
  /** Hears what happens, for metrics and logs. */
  readonly observer: TaskObserver
}

export interface TaskObserver {
  eventsStored(count: number): void
  turnEnded(status: string): void
  incident(incident: { readonly type: string; readonly message: string }): void
  /** The store is gone: the service must stop. */
  broken(error: unknown): void
}

const SHOWN_EVENTS = 50
const DRAIN_LOOK_MS = 200
const PAGE = { limit: 500, most: 2_000, maxBytes: 4 * 1024 * 1024 }

export class DurableTasks implements TaskService {
  readonly #options: DurableTasksOptions
  readonly #log: EventLog
  readonly #links: Links
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
  readonly #frames: ReturnType<typeof wholeFramesIn>

  constructor(options: DurableTasksOptions) {
    const { database, settings, now, observer, dataDir } = options
    this.#options = options
    this.#frames = wholeFramesIn(path.join(dataDir, 'frames'))
    this.#announcer = new Announcer({ now, baseUrl: () => settings.baseUrl })
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
      wholeFrames: this.#frames,
      onStored: (count) => this.#stored(count),
      onBroken: (error) => observer.broken(error),
    })
    this.#receiver = new Receiver({ log: this.#log, runOf: (taskId) => this.#runs.get(taskId) })
    this.#links = new Links({
      appServers: options.appServers,
      listener: {
        notification: (link, notification) => this.#receiver.receive(link, notification),
        approval: (link, question, context) => this.#ask(link, question, context),
        incident: (_, incident) => observer.incident({ type: incident.type, message: describe(incident) }),
      },
    })
    this.#scheduler = new Scheduler({ maxWorking: settings.maxWorking, now })
    this.#approvals = new Approvals({
      log: this.#log,
      now,
      announce: (db, cause, approval) =>
        this.#announcer.announce(db, { cause, taskId: approval.taskId, approval }),
      onWaiting: (taskId, isWaiting) => this.#pause(taskId, isWaiting),
      onAsyncAnswer: (approval, answer, actor) => this.#answerAsync(approval, answer, actor),
    })
    const shared = {
      log: this.#log,
      links: this.#links,
      receiver: this.#receiver,
      approvals: this.#approvals,
      now,
    }
    this.#runs = new Runs({
      ...shared,
      scheduler: this.#scheduler,
      announce: (db, cause, taskId) => this.#announcer.announce(db, { cause, taskId }),
      onLimitOver: (taskId) => void this.#actions.resumeLimited(taskId).catch((error) => this.#report(error)),
      onTurnEnded: (status) => observer.turnEnded(status),
    })
    this.#messages = new Messages({ ...shared, runs: this.#runs })
    this.#actions = new TaskActions({
      ...shared,
      runs: this.#runs,
      messages: this.#messages,
      wholeFrames: this.#frames,
      defaultNotify: settings.notify,
      problemWithTarget: (target) => this.#sender.problemWith(target),
    })
  }

  /** Takes over what an earlier service left, then what waits begins. */
  async open(): Promise<void> {
    await this.#refreshRules()
    await this.#links.adopt()
    await this.#approvals.restore()
    const { now } = this.#options
    await recoverAll({ log: this.#log, links: this.#links, receiver: this.#receiver, runs: this.#runs, now })
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
    return this.get(await this.#actions.start(request, caller))
  }

  async list(query: TaskQuery): Promise<Page<Task>> {
    const page = await listTasks(this.#options.database.reader, query)
    return { ...page, items: page.items.map((task) => this.#placed(task)) }
  }

  async get(taskId: string): Promise<Task> {
    const task = await findTask(this.#options.database.reader, taskId)
    if (!task) throw new TaskError('task-not-found', `there is no task ${taskId}`)
    return this.#placed(task)
  }

  async show(
    taskId: string,
    { events: limit = SHOWN_EVENTS }: { events?: number } = {},
  ): Promise<TaskDetail> {
    const { reader } = this.#options.database
    const task = await this.get(taskId)
    const [approvals, messages, page] = await Promise.all([
      pendingApprovals(reader, taskId),
      messageRows(reader, taskId, ['queued', 'sending']),
      this.events(taskId, { before: Number.MAX_SAFE_INTEGER, limit: Math.max(limit, 1) }),
    ])
    const events = limit > 0 ? page.events : []
    return { task, approvals: approvals.map(toApproval), messages: messages.map(toMessage), events }
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

  async fork(taskId: string, options: Parameters<TaskService['fork']>[1], caller: Caller): Promise<Task> {
    return this.get(await this.#actions.fork(taskId, options, caller))
  }

  async resume(taskId: string, options: Parameters<TaskService['resume']>[1], caller: Caller): Promise<Task> {
    await this.#actions.resume(taskId, options, caller)
    return this.get(taskId)
  }

  async wait(
    taskId: string,
    { timeoutMs, through = false, signal }: Parameters<TaskService['wait']>[1],
  ): Promise<Task> {
    const until = AbortSignal.any([
      ...(signal ? [signal] : []),
      ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(Math.min(timeoutMs, 2 ** 31 - 1))]),
    ])
    const isThere = ({ status }: Task) => hasEnded(status) || (status === 'waiting' && !through)
    const { lastSeq, ...first } = await this.get(taskId)
    if (isThere({ lastSeq, ...first })) return { lastSeq, ...first }
    for await (const { method } of this.follow(taskId, { after: lastSeq, signal: until })) {
      if (method !== 'drawbridge/task') continue
      const task = await this.get(taskId)
      if (isThere(task)) return task
    }
    return this.get(taskId)
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

  async events(taskId: string, options: Parameters<TaskService['events']>[1]): Promise<EventPage> {
    await this.get(taskId)
    const limit = Math.min(options.limit ?? PAGE.limit, PAGE.most)
    const maxBytes = Math.min(options.maxBytes ?? PAGE.maxBytes, PAGE.maxBytes)
    return eventPage(this.#options.database.reader, taskId, { ...options, limit, maxBytes })
  }

  async wholeEvent(taskId: string, seq: number): Promise<string> {
    const whole = await this.#frames.get(taskId, seq)
    if (whole !== null) return whole
    const { events } = await this.events(taskId, { after: seq - 1, before: seq + 1, limit: 1 })
    if (events[0]?.seq !== seq) throw new TaskError('event-not-found', `task ${taskId} has no event ${seq}`)
    return events[0].frame
  }

  approvals(query: Parameters<TaskService['approvals']>[0]): Promise<Page<Approval>> {
    return listApprovals(this.#options.database.reader, query)
  }

  async approval(approvalId: string): Promise<Approval> {
    const row = await approvalRow(this.#options.database.reader, approvalId)
    if (!row) throw new TaskError('approval-not-found', `there is no approval ${approvalId}`)
    return toApproval(row)
  }

  async decide(approvalId: string, { answer, why, rule }: Decide, { actor }: Caller): Promise<Approval> {
    const verdict: Verdict = { answer, by: 'person', actor, rule: null, why: why ?? null }
    if (answer !== 'always') return this.#approvals.decide(approvalId, verdict)
    const approval = await this.approval(approvalId)
    const text = rule ?? approval.proposedRule
    if (text === null) throw new TaskError('bad-answer', 'no rule can say this: answer once or session')
    await this.#requireAllowing(text, approval)
    const standing = ruleRow({ text, actor, approvalId, now: this.#options.now() })
    const insert: Change<void> = (db) => insertRule(db, standing)
    const decided = await this.#approvals.decide(approvalId, { ...verdict, rule: standing.id }, insert)
    await this.#refreshRules()
    return decided
  }

  audit(query: Parameters<TaskService['audit']>[0]): Promise<Page<AuditEntry>> {
    return listAudit(this.#options.database.reader, query)
  }

  rules({ revoked = false }: { revoked?: boolean } = {}): Promise<readonly StandingRule[]> {
    return listRules(this.#options.database.reader, { revoked })
  }

  async addRule({ text, note }: { text: string; note?: string }, { actor }: Caller): Promise<StandingRule> {
    checkRules([text])
    const row = {
      ...ruleRow({ text, actor, approvalId: null, now: this.#options.now() }),
      note: note ?? null,
    }
    await this.#log.write((db) => insertRule(db, row))
    await this.#refreshRules()
    return toRule(row)
  }

  async revokeRule(ruleId: string, { actor }: Caller): Promise<StandingRule> {
    const change = { revoked_at: this.#options.now(), revoked_by: actor }
    const row = await this.#log.write((db) => revokeRule(db, ruleId, change))
    if (!row) throw new TaskError('rule-not-found', `there is no standing rule ${ruleId}`)
    await this.#refreshRules()
    return toRule(row)
  }

  /** What the rules would say to a command. */
  async judge(request: {
    command: string
    cwd: string
    preset?: string
    rules?: readonly string[]
    labels?: readonly string[]
  }): Promise<RuleDecision> {
    checkRules(request.rules ?? [])
    const row = {
      rules: JSON.stringify(request.rules ?? []),
      preset: request.preset ?? 'ask-all',
      cwd: request.cwd,
    }
    const link = await this.#defaultLink()
    const resolve = link.appServer.host.realPath ?? (() => null)
    const judging = this.#gate.judging(row, {
      labels: request.labels ?? [],
      now: this.#options.now(),
      resolve,
    })
    return judge(commandQuestion(request), judging)
  }

  notices(query: NoticeQuery): Promise<Page<Notice>> {
    return listNotices(this.#options.database.reader, query)
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
    const codex = await (await this.#defaultLink()).codex()
    const models: unknown[] = []
    for await (const model of codex.list('model/list', {})) models.push(model)
    return models
  }

  async account(): Promise<unknown> {
    const codex = await (await this.#defaultLink()).codex()
    const account = await codex.request('account/read', {})
    const rateLimits = await codex.request('account/rateLimits/read', {} as never).catch(() => null)
    return { ...account, rateLimits }
  }

  appServers(): readonly AppServerFacts[] {
    return this.#options.appServers.list()
  }

  async counts(): Promise<TaskCounts> {
    const { reader } = this.#options.database
    const [byStatus, open, notices] = await Promise.all([
      countByStatus(reader),
      openApprovals(reader),
      countNotices(reader),
    ])
    return {
      byStatus,
      openApprovals: open.count,
      oldestApprovalAt: open.oldestAt,
      pendingNotices: notices.pending,
      deadNotices: notices.dead,
    }
  }

  async #ask(
    link: Link,
    question: Question,
    { signal }: Parameters<Approver>[1],
  ): Promise<Awaited<ReturnType<Approver>>> {
    const threadId = question.parent?.threadId ?? question.threadId ?? ''
    const taskId = this.#receiver.taskOf(threadId)
    const { reader } = this.#options.database
    const row = taskId === undefined ? undefined : await taskRow(reader, taskId)
    if (!row) return { answer: 'deny', by: 'default', why: 'no task of ours asks this' }
    const { labels } = await this.get(row.id)
    const limits = { now: this.#options.now(), timeoutMs: this.#options.settings.approvalTimeoutMs }
    const asking = this.#gate.asking({ row, labels, question, link }, limits)
    if (question.method !== null) return this.#approvals.ask(asking, { signal })
    // codex does not wait for this one: the answer will be a message, whenever it comes.
    await this.#approvals.note(asking)
    return 'deny'
  }

  async #answerAsync({ taskId, question }: Approval, answer: Answer, actor: string): Promise<void> {
    if (question.kind !== 'user-input' || typeof answer !== 'object' || !('answers' in answer)) return
    const input = answerText(question, answer.answers)
    const isRunning = this.#runs.get(taskId)?.turn != null
    const steered = isRunning
      ? await this.send(taskId, { input, mode: 'steer' }, { actor }).catch(() => null)
      : null
    if (!steered) await this.send(taskId, { input, mode: 'queue' }, { actor })
  }

  async #requireAllowing(text: string, { taskId, question }: Approval): Promise<void> {
    checkRules([text])
    const row = await taskRow(this.#options.database.reader, taskId)
    const { labels } = await this.get(taskId)
    const resolve = (await this.#defaultLink()).appServer.host.realPath ?? (() => null)
    const judging = this.#gate.judging(row!, { labels, now: this.#options.now(), resolve })
    if (!allows(text, question, judging))
      throw new TaskError(
        'bad-answer',
        `the rule "${text}" would not allow what is asked: it would be asked again next time`,
      )
  }

  async #refreshRules(): Promise<void> {
    this.#gate.setStanding(await this.#log.write((db) => listRules(db, { revoked: false })))
  }

  #defaultLink(): Promise<Link> {
    return this.#links.get({ codexPath: null, codexHome: null })
  }

  #pause(taskId: string, isWaiting: boolean): void {
    const slot = this.#runs.get(taskId)?.slot
    if (slot) slot.isPaused = isWaiting
  }

  #placed(task: Task): Task {
    return task.status === 'queued' ? { ...task, queuePosition: this.#scheduler.positionOf(task.id) } : task
  }

  #stored(count: number): void {
    this.#options.observer.eventsStored(count)
    if (!this.#announcer.hasNews) return
    this.#announcer.hasNews = false
    this.#worker.wake()
  }

  #report(error: unknown): void {
    this.#options.observer.incident({ type: 'internal', message: String(error) })
  }
}

function ruleRow({
  text,
  actor,
  approvalId,
  now,
}: {
  text: string
  actor: string
  approvalId: string | null
  now: number
}) {
  const { rule } = parseRuleText(text)
  return {
    id: uuidv7(),
    text,
    note: null,
    created_at: now,
    created_by: actor,
    approval_id: approvalId,
    expires_at: rule?.expiresAt ?? null,
    revoked_at: null,
    revoked_by: null,
  }
}

/** A command as codex would ask for it, to run outside the sandbox. */
function commandQuestion({ command, cwd }: { command: string; cwd: string }): Question {
  return {
    kind: 'command',
    requestId: 0,
    method: 'item/commandExecution/requestApproval',
    threadId: null,
    turnId: null,
    itemId: null,
    parent: null,
    title: `run ${command}`,
    reason: null,
    choices: [],
    params: { command },
    command,
    argv: null,
    cwd,
    actions: [],
    network: null,
    additionalPermissions: null,
  }
}

function describe(incident: object): string {
  const { error, reason } = incident as { error?: unknown; reason?: unknown }
  const cause = error ?? reason
  return redact(cause instanceof Error ? cause.message : JSON.stringify(incident).slice(0, 500))
}
