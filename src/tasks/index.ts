// The durable core: tasks, their log, their questions, what survives a crash. Doors call `DurableTasks`; where codex runs
// is given to it by the composition root.
import '../util/require-node.ts'

export {
  type Backup,
  backupDatabase,
  checkDatabase,
  type DailyCopyOptions,
  databaseFile,
  type Finding,
  hasEnded,
  keepDailyCopy,
  listRepairs,
  type OpenDatabase,
  type OwnEvents,
  openDatabase,
  type Page,
  type Pruned,
  prune,
  type Repair,
  type Retention,
  StoreError,
  type StoreErrorCode,
  TASK_STATUSES,
  type TaskEvent,
  type TaskQuery,
  type TaskStatus,
  type UsageFigures,
} from '../store/index.ts'
export { CodexAccount } from './account.ts'
export type { AccountLogin, AccountService, LoginRequest } from './account-service.ts'
export type {
  AppServerEnd,
  AppServerFacts,
  AppServerKey,
  AppServerStatus,
  AppServers,
  RunningAppServer,
} from './app-servers.ts'
export type { Approval, AuditEntry, StandingRule } from './approval.ts'
export { DurableTasks, type DurableTasksOptions } from './durable-tasks.ts'
export type { MayLackLogin } from './logins.ts'
export {
  AddressGuard,
  type AllowPrivate,
  type BadTarget,
  type Clock,
  type Draft,
  makeNotices,
  type NamedTargets,
  type NewNotice,
  type Notice,
  type NoticeCause,
  type NoticeMaking,
  type NoticePayload,
  type NoticeQuery,
  NoticeSender,
  type NoticeSettings,
  type NoticeSubject,
  type Outbox,
  OutboxWorker,
  type OutboxWorkerOptions,
  type OutgoingNotice,
  parseTarget,
  RETRIES,
  type RetryOptions,
  resolveTarget,
  type SendResult,
  type SmtpSettings,
  showTarget,
  showTargetText,
  signBody,
  type Target,
  verifySignature,
} from './notifications/index.ts'
export { DEFAULT_SETTINGS, type TaskSettings } from './settings.ts'
export type { Task, TaskResult } from './task.ts'
export { TaskError, type TaskErrorCode } from './task-errors.ts'
export type { TaskObserver } from './task-observer.ts'
export type {
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
  TurnOverrides,
} from './task-service.ts'
export type { Usage, UsageDay, UsageQuery } from './usage.ts'
