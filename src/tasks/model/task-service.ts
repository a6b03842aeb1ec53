// Everything that can be done with tasks, for every door alike: HTTP, CLI, MCP. Each call that changes something has
// done so durably when it resolves. Errors are `DrawbridgeError`s; their codes are in `task-errors.ts`.
import type { Answer, PresetName, ThreadPolicy, TurnInput } from '../../codex/index.ts'
import type { Page, TaskEvent, TaskFilter, TaskQuery } from '../../store/index.ts'
import type { AppServerStatus } from './app-servers.ts'
import type { Approval, AuditEntry, StandingRule } from './approval.ts'
import type { Grant } from './grant.ts'
import type { AnswerDeliverable, CallerMessage, Deliverable, DeliverableContent } from './handover.ts'
import type { Notice, NoticeQuery } from './notice.ts'
import type { Task } from './task.ts'
import type { FilePlace, NewUpload, Upload } from './upload.ts'
import type { Usage, UsageQuery } from './usage.ts'
import type { Worker } from './worker.ts'
import type { WorkspaceRequest } from './workspace.ts'

export interface StartTask {
  readonly prompt: TurnInput
  readonly cwd: string
  readonly title?: string | undefined
  readonly codexPath?: string | undefined
  readonly codexHome?: string | undefined
  /** The name of an account, or `pool:` and the name of a pool. Default: the login of the codex home. Not with `codexHome`. */
  readonly account?: string | undefined
  /** At a usage limit: `park` until it ends, or `switch` to another account of the pool. Default: as the account says. */
  readonly onLimit?: 'park' | 'switch' | undefined
  readonly policy?: ThreadPolicy | undefined
  /** Default `ask-all`. */
  readonly preset?: PresetName | undefined
  readonly rules?: readonly string[] | undefined
  readonly labels?: readonly string[] | undefined
  readonly notify?: readonly string[] | undefined
  readonly keepOpen?: boolean | undefined
  readonly timeoutMs?: number | undefined
  readonly approvalTimeoutMs?: number | undefined
  readonly outputSchema?: unknown
  /** The id, the name or a label of the workers it may run on. Default: any that has its folder. */
  readonly on?: string | undefined
  /** When its worker is lost: `wait` for it (the default), or `fail`: end as `lost`. */
  readonly onLost?: 'wait' | 'fail' | undefined
  /**
   * The task that starts this one, by its id, or by a codex thread of its own or of a sub-agent. A thread that is not of a task
   * here is no parent.
   */
  readonly parent?: { readonly taskId: string } | { readonly threadId: string } | undefined
  /** The name of a host to run on; `cwd` is a folder there. Default: where codex runs. */
  readonly host?: string | undefined
  /** Where it works. Default: in `cwd` itself. */
  readonly workspace?: WorkspaceRequest | undefined
  /** Also where another task that may write works. */
  readonly shareFolder?: boolean | undefined
  /** When snapshots are taken of it by themselves: `off` (the default), `end`, `limited`, `turns:N`, or several with commas. */
  readonly snapshots?: string | undefined
  /** Names from the settings, or of built-in tools. Its labels can bring others. */
  readonly tools?: readonly string[] | undefined
  /** The same key again gives the task it made; with another request, a conflict. */
  readonly idempotencyKey?: string | undefined
}

export interface ForkTask {
  /** Without one it waits for a message. */
  readonly prompt?: TurnInput | undefined
  /** With the history up to this turn only. */
  readonly lastTurnId?: string | undefined
  readonly title?: string | undefined
  /** Also where another task that may write works. */
  readonly shareFolder?: boolean | undefined
  /** As for a new task. */
  readonly idempotencyKey?: string | undefined
}

export interface SendMessage {
  readonly input: TurnInput
  /** `steer`: into the running turn, refused when there is none. `queue`: the next turn, now if the task is free. */
  readonly mode: 'steer' | 'queue'
  /** Steers only this turn: refused when another one runs by then. */
  readonly turnId?: string | null | undefined
  /** Sent once, however often it is called with this id. */
  readonly clientMessageId?: string | undefined
  /** For this turn and those after it. */
  readonly overrides?: TurnOverrides | undefined
}

export type TurnOverrides = Pick<ThreadPolicy, 'model' | 'effort' | 'approvalPolicy' | 'sandbox'> & {
  readonly preset?: PresetName | undefined
  readonly outputSchema?: unknown
}

export interface Message {
  readonly id: string
  readonly taskId: string
  readonly mode: 'steer' | 'queue'
  readonly text: string
  readonly status: 'queued' | 'delivered' | 'failed' | 'cancelled'
  /** The turn it went to. */
  readonly turnId: string | null
  readonly actor: string
  readonly createdAt: number
}

export interface TaskDetail {
  readonly task: Task
  readonly approvals: readonly Approval[]
  readonly messages: readonly Message[]
  /** The newest, in order. */
  readonly events: readonly TaskEvent[]
}

export interface Decide {
  readonly answer: Answer
  readonly why?: string | undefined
  /** With a no: codex goes on in another turn, with network if that is what the command needed. */
  readonly retry?: { readonly network: boolean } | undefined
  /** With `always`: also make this a standing rule, one line; codex's own amendment is used where it offers one. */
  readonly rule?: string | undefined
}

/** Whoever asks for something; written to logs and audit. `signal` ends only the waiting. */
export interface Caller {
  readonly actor: string
  readonly signal?: AbortSignal | undefined
  /** What the caller's token may do; null, or absent: everything. Enforced by `boundTasks`, and kept with tasks and messages. */
  readonly grant?: Grant | null | undefined
}

export interface TaskService {
  start(request: StartTask, caller: Caller): Promise<Task>
  list(query: TaskQuery): Promise<Page<Task>>
  /** How many there are, without fetching them. */
  count(filter: TaskFilter): Promise<CountedTasks>
  get(taskId: string): Promise<Task>
  show(taskId: string, options?: { events?: number }): Promise<TaskDetail>
  send(taskId: string, message: SendMessage, caller: Caller): Promise<Message>
  /** The actors whose messages it has, delivered or not. */
  senders(taskId: string): Promise<readonly string[]>
  /** Takes back a message that waits. */
  cancelMessage(taskId: string, messageId: string, caller: Caller): Promise<Message>
  /** Where its files may be read. Rejects for a caller who may not. */
  placeToRead(taskId: string): Promise<FilePlace>
  /** The same for a caller who wants to give it files. */
  placeToUpload(taskId: string): Promise<FilePlace>
  /** Files that are on disk by now. The model is told of them with the next message. */
  addUploads(taskId: string, uploads: readonly NewUpload[], caller: Caller): Promise<readonly Upload[]>
  uploads(taskId: string): Promise<readonly Upload[]>
  /** Takes one off the record that no message tells of yet; its file is the caller's to remove. */
  removeUpload(taskId: string, uploadId: string, caller: Caller): Promise<Upload>
  /**
   * Ends the running turn, or takes a queued task out of the queue. `children`: also those of all tasks below it, and it is
   * enough that one of them runs.
   */
  interrupt(taskId: string, caller: Caller, options?: { children?: boolean }): Promise<Task>
  /** A new task with the history of this one. */
  fork(taskId: string, request: ForkTask, caller: Caller): Promise<Task>
  /** Goes on after `lost`, `interrupted`, `failed`, `limited` or `timed-out`; with a prompt, or "continue". */
  resume(taskId: string, options: { prompt?: TurnInput }, caller: Caller): Promise<Task>
  /** Resolves when the task has ended, waits for somebody (unless `through`), or the time is up, with what it is then. */
  wait(
    taskId: string,
    options: { timeoutMs?: number; through?: boolean; signal?: AbortSignal },
  ): Promise<Task>
  change(taskId: string, fields: TaskChange, caller: Caller): Promise<Task>
  /** Of a task that has ended; its events and questions go with it, its audit stays. */
  delete(taskId: string, caller: Caller): Promise<void>

  /** Events after this sequence: stored ones, then live ones, without gap or double. Ends with the signal or the task's deletion. */
  follow(taskId: string, options: { after: number; signal: AbortSignal }): AsyncIterable<TaskEvent>
  /** Events of all tasks whose method begins with `drawbridge/`, live only, for lists that stay current. */
  followAll(options: { signal: AbortSignal }): AsyncIterable<TaskEvent>
  /** A page of stored events, bounded by count and bytes: after a sequence forwards, or before one backwards. */
  events(
    taskId: string,
    options: { after?: number; before?: number; limit?: number; maxBytes?: number },
  ): Promise<EventPage>
  /** The whole of an event that was too large to keep with the others, as stored: a JSON text. */
  wholeEvent(taskId: string, seq: number): Promise<string>

  /** Files that the model handed over, in order. */
  deliverables(taskId: string): Promise<readonly Deliverable[]>
  /** With its bytes, to be read once. */
  deliverableContent(taskId: string, number: number): Promise<DeliverableContent>
  /** First answer wins: the loser gets `deliverable-answered` with what won. Words reach the model as a message. */
  answerDeliverable(
    taskId: string,
    number: number,
    answer: AnswerDeliverable,
    caller: Caller,
  ): Promise<Deliverable>
  /** Takes away what the model wanted a person to see. */
  clearAttention(taskId: string, caller: Caller): Promise<void>
  /** What the model told the embedding program, in order: the newest 200, or all of one status. */
  callerMessages(
    taskId: string,
    query?: Pick<Partial<CallerMessage>, 'status'>,
  ): Promise<readonly CallerMessage[]>
  /** First answer wins. It is the result of the call that waits for it, else a message to the task. */
  answerCallerMessage(
    taskId: string,
    messageId: string,
    answer: { readonly value: unknown },
    caller: Caller,
  ): Promise<CallerMessage>

  approvals(query: {
    taskId?: string
    /** Of tasks that were started with this token, and tasks below them. */
    ownedBy?: string
    status?: Approval['status']
    limit?: number
    cursor?: string
  }): Promise<Page<Approval>>
  approval(approvalId: string): Promise<Approval>
  /** First answer wins: the loser gets `approval-settled` with what won. */
  decide(approvalId: string, decide: Decide, caller: Caller): Promise<Approval>
  audit(query: { taskId?: string; limit?: number; cursor?: string }): Promise<Page<AuditEntry>>

  rules(options?: { revoked?: boolean }): Promise<readonly StandingRule[]>
  addRule(rule: { text: string; note?: string }, caller: Caller): Promise<StandingRule>
  revokeRule(ruleId: string, caller: Caller): Promise<StandingRule>

  notices(query: NoticeQuery): Promise<Page<Notice>>
  retryNotice(noticeId: string, caller: Caller): Promise<Notice>

  /** All that share the store, those that are gone included; on SQLite the one there is. */
  workers(): Promise<readonly Worker[]>
  /** It takes no new tasks from now on, or does again. What it has goes on. */
  drainWorker(workerId: string, options: { isDraining: boolean }, caller: Caller): Promise<Worker>

  /** What codex offers on the default key. */
  models(): Promise<readonly unknown[]>
  appServers(): readonly AppServerStatus[]
  /** Turns, tokens and questions by day: kept when their events, and even their tasks, are gone. */
  usage(query: UsageQuery): Promise<Usage>
  /** How many tasks have each status, how many questions are open and since when. For metrics. */
  counts(options?: { ownedBy?: string }): Promise<TaskCounts>
}

export interface TaskChange {
  readonly title?: string | undefined
  readonly archived?: boolean | undefined
  readonly labels?: readonly string[] | undefined
  readonly notify?: readonly string[] | undefined
  readonly preset?: PresetName | undefined
  readonly rules?: readonly string[] | undefined
  /** Whether commands reach the network, from the next turn on. */
  readonly network?: boolean | undefined
}

export interface EventPage {
  readonly events: readonly TaskEvent[]
  /** Whether there is more in the direction asked for. */
  readonly hasMore: boolean
}

export interface CountedTasks {
  readonly total: number
  /** Only statuses that some task has. */
  readonly byStatus: Readonly<Record<string, number>>
}

export interface TaskCounts {
  readonly byStatus: Readonly<Record<string, number>>
  readonly openApprovals: number
  readonly oldestApprovalAt: number | null
  readonly pendingNotices: number
  readonly deadNotices: number
}
