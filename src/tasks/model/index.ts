// What the room speaks of: tasks, approvals, messages, notices, and how stored rows become them. Plain data, no parts.

export type { AccountLogin, AccountService, LoginRequest } from './account-service.ts'
export {
  type AppServerEnd,
  type AppServerFacts,
  type AppServerKey,
  type AppServerStatus,
  type AppServers,
  OWN_CODEX,
  type RunningAppServer,
} from './app-servers.ts'
export type { Approval, AuditEntry, StandingRule } from './approval.ts'
export { toApproval, toAuditEntry, toRule } from './approval-of-row.ts'
export {
  type Ceiling,
  foldersOn,
  type Grant,
  isAbove,
  isWider,
  PRESETS_BY_WIDTH,
  RIGHTS,
  type Right,
  SANDBOXES,
} from './grant.ts'
export {
  type AnswerDeliverable,
  type CallerMessage,
  type Deliverable,
  type DeliverableContent,
  type NewDeliverable,
  type StoredAttention,
  type TaskProgress,
  toCallerMessage,
  toDeliverable,
} from './handover.ts'
export type { HookDeliverable, HookFacts, HookQuestion, HookTask, HookUpload } from './hook-facts.ts'
export {
  type HookContext,
  type HookEvent,
  type HookProcess,
  NO_HOOKS,
  type TaskHook,
  type TaskHooks,
} from './hooks.ts'
export { type HostDirectory, type HostMode, NO_HOSTS } from './host-directory.ts'
export { toMessage } from './message-of-row.ts'
export type { Notice, NoticeCause, NoticeQuery, OutgoingNotice } from './notice.ts'
export { hostOfHome, remoteHome } from './remote-home.ts'
export { resultColumns } from './result-columns.ts'
export { parseSnapshotTimes, type RestoredTask } from './snapshots.ts'
export type { Evidence, Task, TaskResult } from './task.ts'
export type { BorrowedAccount, BorrowingTask, TaskAccounts } from './task-accounts.ts'
export { TaskError, type TaskErrorCode, untrusted } from './task-errors.ts'
export type { TaskObserver } from './task-observer.ts'
export { findTask, toTask } from './task-of-row.ts'
export type {
  Caller,
  CountedTasks,
  Decide,
  EventPage,
  ForkTask,
  Message,
  SendMessage,
  StartTask,
  TaskChange,
  TaskCounts,
  TaskDetail,
  TaskService,
  TurnOverrides,
} from './task-service.ts'
export { type AskedTools, OUTWARD_TOOLS, type TaskTools, type ToolTask } from './task-tools.ts'
export type { OpenTask, TaskTerminals, Terminal } from './terminal.ts'
export { durationText, timeText } from './time-text.ts'
export { type FilePlace, type NewUpload, toUpload, type Upload, withUploads } from './upload.ts'
export { addUp, type Usage, type UsageDay, type UsageQuery } from './usage.ts'
export { toWorker, type Worker } from './worker.ts'
export {
  gitFoldersOf,
  type PlannedWorkspace,
  parseWorkspace,
  rootsOf,
  type TaskWorkspace,
  type TaskWorkspaces,
  WORKSPACE_KINDS,
  type WorkspaceKind,
  type WorkspacePart,
  type WorkspaceRequest,
} from './workspace.ts'
