// The durable core: tasks, their log, their questions, what survives a crash. Doors call `DurableTasks`; where codex runs
// is given to it by the composition root.
import '../util/require-node.ts'

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
export * from './notifications/index.ts'
export { DEFAULT_SETTINGS, type TaskSettings } from './settings.ts'
export { type Backup, backupDatabase } from './store/backup.ts'
export { checkDatabase, type Finding } from './store/check.ts'
export { databaseFile, type OpenDatabase, openDatabase } from './store/database.ts'
export { type Pruned, prune, type Retention } from './store/retention.ts'
export { StoreError, type StoreErrorCode } from './store/store-errors.ts'
export {
  hasEnded,
  type Page,
  TASK_STATUSES,
  type Task,
  type TaskQuery,
  type TaskResult,
  type TaskStatus,
} from './task.ts'
export { TaskError, type TaskErrorCode } from './task-errors.ts'
export type { OwnEvents, TaskEvent } from './task-event.ts'
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
export type { Usage, UsageDay, UsageFigures, UsageQuery } from './usage.ts'
