// Builds the parts of this room and introduces them to each other. Each part gets what it uses, and no more.
import { hostname } from 'node:os'
import path from 'node:path'
import type { UserInputQuestion } from '../codex/index.ts'
import {
  type Change,
  databaseTrouble,
  EventLog,
  type Followers,
  isShared,
  type KeptFiles,
  keptFilesOf,
  LeaseLostError,
  type OpenDatabase,
  type StoredTask,
  type WholeFrames,
  wholeFramesOf,
} from '../store/index.ts'
import { Approvals, RuleBook, TaskQuestions } from './approvals/index.ts'
import {
  endOrphanTurn,
  Fleet,
  type FleetOptions,
  isForHere,
  Membership,
  refuseElsewhere,
} from './fleet/index.ts'
import { type Handover, openHandover } from './handover/index.ts'
import { Hooks } from './hooks/index.ts'
import { Messages, putAnswer, startRestored, type TargetParts, TaskActions } from './intake/index.ts'
import {
  accountOf,
  CodexAccount,
  DeadServers,
  Links,
  Logins,
  type MayLackLogin,
  Receiver,
  realPathFor,
  type TrustOf,
} from './link/index.ts'
import { incidentText, writeIncident, writeOwn, writeToolCall } from './log/index.ts'
import {
  type AppServers,
  type Caller,
  type HostDirectory,
  NO_HOOKS,
  NO_HOSTS,
  type NoticeCause,
  OWN_CODEX,
  type RestoredTask,
  type TaskAccounts,
  type TaskHooks,
  type TaskObserver,
  type TaskTools,
  type TaskWorkspaces,
} from './model/index.ts'
import {
  Announcer,
  clockOf,
  NoticeSender,
  OutboxWorker,
  sharedOutbox,
  storedOutbox,
} from './notices/index.ts'
import { isOnlyHere } from './only-worker.ts'
import type { TaskSettings } from './settings.ts'
import { actByName, taskActs } from './task-acts.ts'
import { type OpenTaskParts, Terminals } from './terminals/index.ts'
import { noTools, toolsOfTasks } from './tools-of-tasks.ts'
import {
  Recovering,
  type RecoverParts,
  Runs,
  recoverTasks,
  Scheduler,
  tellHeld,
  UnheardThreads,
} from './turns/index.ts'
import { TaskViews } from './views/index.ts'

export interface DurableTasksOptions {
  readonly database: Pick<OpenDatabase, 'db' | 'reader'>
  readonly dataDir: string
  readonly appServers: AppServers
  /** On a store that several services share: what this one is to the others. */
  readonly fleet?: FleetOptions | null
  /** Which folders people trust. By default none is. */
  readonly trustOf?: TrustOf
  /** By default none does: a task without a login is not refused, and fails at once. */
  readonly mayLackLogin?: MayLackLogin
  /** What tasks can get of the host's tools. By default none. */
  readonly tools?: TaskTools
  /** The accounts that tasks can borrow. By default none. */
  readonly accounts?: TaskAccounts
  /** Other machines for tasks. By default there are none. */
  readonly hosts?: HostDirectory
  /** Where tasks work that is made for them. By default they work in folders of the user's only. */
  readonly workspaces?: TaskWorkspaces
  /** What is run around tasks. By default nothing. */
  readonly hooks?: TaskHooks
  readonly settings: TaskSettings
  readonly now: () => number
  /** Hears what happens, for metrics and logs. */
  readonly observer: TaskObserver
}

export interface TaskParts {
  readonly log: EventLog
  readonly views: TaskViews
  readonly links: Links
  readonly account: CodexAccount
  readonly scheduler: Scheduler
  readonly rules: RuleBook
  readonly approvals: Approvals
  readonly runs: Runs
  readonly recovery: RecoverParts
  readonly unheard: UnheardThreads
  readonly terminals: Terminals
  readonly opening: OpenTaskParts
  readonly messages: Messages
  readonly actions: TaskActions
  /** The id of the new task. For the owner alone: no token is looked at. */
  readonly startRestored: (restored: RestoredTask, caller: Caller) => Promise<string>
  readonly sender: NoticeSender
  readonly outbox: OutboxWorker
  readonly trustOf: TrustOf
  readonly hosts: HostDirectory
  readonly announcer: Announcer
  readonly handover: Handover
  readonly files: KeptFiles
  readonly hooks: Hooks
  readonly owns: (taskId: string) => boolean
  readonly now: () => number
  /** null: nobody else uses this store. */
  readonly membership: Membership | null
  readonly fleet: Fleet | null
}

/** `onLost`: other workers have declared this one lost, and these parts are of no use any more. */
export function wireTasks(
  options: DurableTasksOptions,
  { onLost, followers }: { onLost: () => void; followers: Followers | null },
): TaskParts {
  const { database, settings, observer, dataDir, appServers, mayLackLogin } = options
  const { db, reader } = database
  const report = reportTo(observer)
  const membership = options.fleet
    ? new Membership({
        ...{ db, fleet: options.fleet, capacity: settings.maxWorking, now: options.now, onLost },
        working: () => scheduler.working,
        onBeatFailed: report,
      })
    : null
  const now = membership?.now ?? options.now
  const owns = (taskId: string) => fleet === null || fleet.owned.has(taskId)
  // What a person trusts is a folder of this machine.
  const trustOf: TrustOf = (place) => (place.host ? {} : (options.trustOf?.(place) ?? {}))
  const hosts = options.hosts ?? NO_HOSTS
  const frames = wholeFramesOf(reader, path.join(dataDir, 'frames'))
  const hooks: Hooks = new Hooks(options.hooks ?? NO_HOOKS, {
    log: { change: (work) => log.change(work) },
    workerId: options.fleet?.id ?? null,
    ...{ now, owns, onError: report },
    isTrusted: ({ cwd, codex_home: codexHome, host }) =>
      trustOf({ cwd, codexHome, host }).trustedRoot !== undefined,
    onDone: (row) => options.workspaces?.ended(row),
  })
  const log = openLog(options, { frames, report, now, membership, onLost, followers, hooks })
  const sender = new NoticeSender({ ...settings.notices, now })
  const outbox = openOutbox(options, { sender, report, now })
  const { named } = settings.notices
  const announcer = new Announcer({ named, baseUrl: () => settings.baseUrl, wake: () => outbox.wake() })
  const links = new Links({
    appServers,
    listener: {
      notification: (notification, { appServer }) => {
        if (notification.method === 'account/updated') logins.forget()
        if (notification.method === 'account/rateLimits/updated')
          options.accounts?.hearLimits(appServer.key.codexHome, notification.params?.rateLimits)
        unheard.hear(notification)
      },
      connected: (link) => unheard.connected(link),
      answered: (answered) => observer.rpcAnswered?.(answered),
      incident: (incident) => observer.incident({ type: incident.type, message: incidentText(incident) }),
    },
  })
  const recovering = new Recovering()
  const account = new CodexAccount({ link: () => links.get(OWN_CODEX), now })
  const scheduler: Scheduler = new Scheduler({
    maxWorking: settings.maxWorking,
    now,
    onHold: (held, hold) => void tellHeld({ log, owns }, held, hold).catch(report),
    onRoom: () => fleet?.hasRoom(),
  })
  options.accounts?.onUsable(({ codexHome, asked }) => {
    for (const account of asked) scheduler.release(accountOf({ codex_home: null, codex_path: null, account }))
    if (codexHome !== null) scheduler.release(codexHome)
  })
  const logins = new Logins({
    // The clock that app-servers are started by.
    ...{ links, appServers, account, mayLackLogin, now: options.now },
    hasRoom: () => scheduler.hasRoom,
  })
  const approvals = new Approvals({
    ...{ log, now, owns },
    announce: (change, cause, approval) =>
      announcer.announce(change, { cause, taskId: approval.taskId, approval }),
    onWaiting: (taskId, isWaiting) => runs.get(taskId)?.pause(isWaiting),
    onAsyncAnswer: (change, approval, answer) =>
      putAnswer(change, { approval, answer }, { messages, announcer }),
  })
  const { approvalTimeoutMs: timeoutMs } = settings
  const questions = new TaskQuestions({
    ...{ log, approvals, now, timeoutMs },
    realPathOf: (task, { realPath: local }) => realPathFor(task, { hosts, local }),
  })
  const writing = { log, onError: report }
  const deadServers = new DeadServers({
    now,
    tell: (taskId, event) => writeOwn(taskId, 'drawbridge/incident', event, writing),
  })
  const toolsOf = toolsOfTasks(options.tools, (taskId, call) => writeToolCall(taskId, call, writing))
  const receiver = new Receiver({
    log,
    deadServers,
    ask: (asked, context) => questions.ask(asked, context),
    incident: (taskId, incident) => writeIncident(taskId, incident, writing),
    heard: (taskId, notification) => approvals.elsewhere.hear(taskId, notification),
  })
  const announce = (change: Change, cause: NoticeCause, taskId: string) =>
    announcer.announce(change, { cause, taskId })
  const runs: Runs = new Runs({
    ...{ log, links, receiver, approvals, logins, scheduler, trustOf, toolsOf, hosts, now, owns, announce },
    accounts: options.accounts ?? null,
    workspaces: options.workspaces ?? null,
    hooks,
    onForeign: () => fleet?.queued(),
    onLimit: (account, hold) => fleet?.noteLimit(account, hold),
    giveBack: async (next, error) => fleet?.giveBack(next, error) ?? false,
    enter: (entering) => fleet?.enter(entering) ?? entering.go(),
    lookForLimits: async () => fleet?.lookForLimits(),
    onQuestion: (taskId: string, question: UserInputQuestion) =>
      void questions.note(taskId, question).catch(report),
    onLimitOver: (taskId) => void actions.resumeLimited(taskId).catch(report),
    onTurnEnded: (status) => observer.turnEnded(status),
  })
  const adopt = async ({ id, worker_id }: StoredTask) => fleet === null || fleet.adopt(id, worker_id)
  const unheard: UnheardThreads = new UnheardThreads({ log, links, runs, adopt, onError: report })
  const terminals = new Terminals({
    ...{ log, links, runs, machine: options.fleet?.machine ?? hostname() },
    refuseElsewhere: async (row) => {
      if (options.fleet) await refuseElsewhere(row, { reader, self: options.fleet })
    },
  })
  const workerId = options.fleet?.id ?? null
  const taking: Pick<OpenTaskParts, 'defaultNotify' | 'toolsFor' | keyof TargetParts> = {
    toolsFor: (asked) => options.tools?.namesFor(asked) ?? noTools(asked),
    defaultNotify: settings.notify,
    problemWithTarget: (target) => sender.problemWith(target),
    hideSecretsOf: (targets) => sender.hideSecretsOf(targets),
  }
  const opening = { log, runs, now, adopt, workerId, ...taking }
  const messages: Messages = new Messages({ log, runs, approvals, trustOf, owns })
  const files = keptFilesOf(db, path.join(dataDir, 'deliverables'))
  const handover = openHandover({ log, reader, files, announcer, messages, onError: report })
  const actions = new TaskActions({
    ...{ log, runs, logins, messages, approvals, trustOf, hosts, now, owns },
    endElsewhere: async (taskId, actor) => (owns(taskId) ? false : fleet!.giveUp(taskId, actor)),
    mustBeHere: async (request) =>
      options.fleet ? isForHere(request, { reader, hosts, self: options.fleet }) : isOnlyHere(request),
    ...{ wholeFrames: frames, files, ...taking },
    accounts: options.accounts ?? null,
    workspaces: options.workspaces ?? null,
    onlyHere: workerId === null ? {} : { wants: workerId },
    maxDepth: settings.maxDepth,
    threadAbove: (threadId) => links.threadAbove(threadId),
  })
  const recovery: RecoverParts = {
    ...{ log, runs, recovering, owns, hasClaims: membership !== null },
    restoreQuestions: () => approvals.restore(),
    endOrphanTurn: async (task) => {
      await endOrphanTurn(task, { links, log })
      const link = links.byId(task.app_server_id)
      if (link) unheard.connected(link)
    },
  }
  /** It is to be recovered, and has neither a place nor a run that asks for one. */
  const isUnbegun = (taskId: string) => (runs.get(taskId)?.stage ?? 'resting') === 'resting'
  const fleet: Fleet | null =
    options.fleet && membership
      ? new Fleet({
          ...{ log, reader, hosts, membership, approvals, announce, links, scheduler },
          ...{ options: options.fleet, onError: report },
          room: () => scheduler.room - runs.arriving - recovering.count(isUnbegun),
          mayClaim: () => !membership.isDraining,
          // Another door may have taken targets with secrets that were never seen here.
          onOwned: (tasks) => sender.hideSecretsOf(tasks.flatMap(notifyOf)),
          wake: (taskId) => runs.wake(taskId),
          recover: (tasks) => recoverTasks(tasks, recovery),
          endOrphanTurn: recovery.endOrphanTurn,
          act: async (command) => {
            await recovering.over(command.taskId)
            return actByName(taskActs(parts, reader), command)
          },
          expire: (approvalId) => approvals.expire(approvalId),
          tell: (message) => observer.incident({ type: 'worker-lost', message }),
        })
      : null
  const parts: TaskParts = {
    ...{ log, links, account, scheduler, approvals, runs, recovery, messages, actions, sender, outbox },
    ...{ owns, now, membership, fleet, trustOf, hosts, announcer, hooks, unheard, terminals, opening },
    ...{ handover, files },
    startRestored: (restored, caller) =>
      startRestored(restored, caller, {
        ...{ log, runs, messages, now, workerId },
        ...{ defaultNotify: settings.notify, accounts: options.accounts ?? null, appServers },
      }),
    views: new TaskViews({ reader, frames, now }),
    rules: new RuleBook({ log, reader, now }),
  }
  return parts
}

/** Tells of what went wrong in the background. */
export function reportTo(observer: TaskObserver, type = 'internal'): (error: unknown) => void {
  return (error) => {
    // That is told once, when it is noticed.
    if (error instanceof LeaseLostError) return
    const trouble = databaseTrouble(error)
    if (trouble && observer.databaseTrouble) observer.databaseTrouble(trouble)
    else observer.incident({ type, message: String(error) })
  }
}

function openLog(
  { database, observer, fleet }: DurableTasksOptions,
  {
    frames,
    report,
    now,
    membership,
    onLost,
    followers,
    hooks,
  }: {
    frames: WholeFrames
    report: (error: unknown) => void
    now: () => number
    membership: Membership | null
    onLost: () => void
    followers: Followers | null
    hooks: Hooks
  },
): EventLog {
  return new EventLog({
    db: database.db,
    reader: database.reader,
    now,
    wholeFrames: frames,
    worker: membership?.start ?? null,
    shared: fleet?.exchange.log,
    ...(followers && { followers }),
    ...hooks.noted,
    onLost,
    onStored: (count) => observer.eventsStored(count),
    onEffectError: report,
    onBroken: (error) => observer.broken(error),
  })
}

function notifyOf({ notify }: StoredTask): string[] {
  return JSON.parse(notify) as string[]
}

/** How often a worker looks for notices that others put in, at the most. */
const LOOK_EVERY_MS = 10_000

function openOutbox(
  { database: { db }, settings: { notices } }: DurableTasksOptions,
  { sender, report, now }: { sender: NoticeSender; report: (error: unknown) => void; now: () => number },
): OutboxWorker {
  const worker = { sender, clock: clockOf(now), onError: report }
  if (!isShared(db)) return new OutboxWorker({ ...worker, outbox: storedOutbox(db) })
  // Mail may take three times as long as an answer; the rest is for the database.
  const claimMs = 3 * notices.timeoutMs + 60_000
  const outbox = sharedOutbox(db, { claimMs, reach: sender.reach })
  return new OutboxWorker({ ...worker, outbox, lookEveryMs: LOOK_EVERY_MS })
}
