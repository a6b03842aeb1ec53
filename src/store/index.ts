// Everything that is kept: tables, queries, migrations, the file they are in. Only this room speaks SQL. Rows are
// returned as they are stored; what they mean to people is for the rooms above to say.
export type { Bus } from './bus/index.ts'
export type { Db } from './db.ts'
export { isShared } from './dialect.ts'
export { type Bytes, type KeptFile, type KeptFiles, keptFilesOf } from './kept-files.ts'
export type { Change, Noted, NotedEvent, Work } from './log/change.ts'
export { EventLog, type Received } from './log/event-log.ts'
export type { Followers } from './log/followers.ts'
export { LeaseLostError } from './log/group-writer.ts'
export { type WholeFrames, wholeFramesOf } from './log/whole-frames.ts'
export type { MovedTable, MoveProgress } from './move/copy-store.ts'
export { moveStore } from './move/move-store.ts'
export { type Exchange, openExchange } from './open-exchange.ts'
export { openStore, type Store } from './open-store.ts'
export { shownUrl } from './postgres/address.ts'
export { checkPostgres } from './postgres/check-postgres.ts'
export { dumpCommand } from './postgres/dump-command.ts'
export { newerSchema } from './postgres/newer-schema.ts'
export { lookAtPostgres, openPostgres } from './postgres/open-postgres.ts'
export { openQueue } from './queue/open-queue.ts'
export type { Queue } from './queue/queue.ts'
export {
  accountRow,
  accountRows,
  borrowAccount,
  deleteAccount,
  insertAccount,
  renewAccount,
  replaceLogin,
  returnAccount,
  type StoredAccount,
  saveLogin,
  updateAccount,
} from './rows/account-rows.ts'
export {
  approvalByRequest,
  approvalRow,
  cancelledIn,
  changeRules,
  holdRules,
  insertApproval,
  insertAudit,
  insertRule,
  isAsyncRow,
  listApprovals,
  listAudit,
  listRules,
  openApprovals,
  overdueApprovals,
  pendingApprovals,
  revokeRule,
  type StoredApproval,
  type StoredAudit,
  type StoredRule,
  settleApproval,
  unauditedApprovals,
} from './rows/approval-rows.ts'
export {
  answerCallerMessage,
  callerMessageRow,
  callerMessageRows,
  countCallerMessages,
  insertCallerMessage,
  type StoredCallerMessage,
} from './rows/caller-message-rows.ts'
export {
  cancelCommand,
  commandRow,
  finishCommand,
  forgetCommands,
  insertCommand,
  type StoredCommand,
  takeCommands,
} from './rows/command-rows.ts'
export {
  answerDeliverable,
  deliverableRow,
  deliverableRows,
  insertDeliverable,
  type StoredDeliverable,
} from './rows/deliverable-rows.ts'
export {
  doorLogin,
  doorLogins,
  doorTokenByHash,
  insertDoorCode,
  publishDoorToken,
  redeemDoorCode,
  removeDoorLogin,
  sweepDoors,
} from './rows/door-rows.ts'
export {
  completionsIn,
  eventPage,
} from './rows/event-rows.ts'
export { accountHolds, forgetHolds, holdAccount, releaseAccount } from './rows/hold-rows.ts'
export {
  hookRunsIn,
  hookRunsOfTask,
  insertHookRuns,
  type StoredHookRun,
  updateHookRun,
} from './rows/hook-rows.ts'
export { deleteHost, hostRow, hostRows, insertHost, type StoredHost } from './rows/host-rows.ts'
export {
  adoptTask,
  type ClaimableTask,
  type Claimant,
  claimableTasks,
  claimTasks,
  giveThreads,
  holderOf,
  type OrphanedTask,
  orphanedTasks,
  releaseTask,
  stillUnplaced,
  takeBackLate,
  takeBackTasks,
  type UnplacedTask,
  unplacedTasks,
} from './rows/lease-rows.ts'
export {
  forgetInputs,
  insertMessage,
  messageActors,
  messageByClientId,
  messageRow,
  messageRows,
  messagesOfTurn,
  type StoredMessage,
  tasksWithMessages,
  updateMessage,
} from './rows/message-rows.ts'
export {
  claimNotices,
  countNotices,
  dueNotices,
  insertNotices,
  listNotices,
  type NoticeReach,
  nextNoticeDueAt,
  noticeRow,
  releaseNotices,
  retryNotice,
  type StoredNotice,
  settleNotice,
} from './rows/outbox-rows.ts'
export { mapPage, type Page } from './rows/page.ts'
export { changePool, poolRows, type StoredPool } from './rows/pool-rows.ts'
export { questionFigures, waitIn } from './rows/question-figures.ts'
export {
  deleteSnapshot,
  hasSnapshots,
  insertSnapshot,
  newestSnapshots,
  type StoredSnapshot,
  snapshotRow,
  snapshotsIn,
  snapshotsOfTask,
  tasksToSnapshot,
  updateSnapshot,
} from './rows/snapshot-rows.ts'
export type { TaskFilter, TaskQuery } from './rows/task-query.ts'
export {
  countByStatus,
  deleteTask,
  insertTask,
  labelsOf,
  lockTask,
  type ShownTask,
  type StoredTask,
  setLabels,
  shownTask,
  shownTasks,
  type TaskInsert,
  type TaskUpdate,
  targetsInUse,
  taskRow,
  taskRowByKey,
  taskRowByThread,
  taskRowsByStatus,
  taskRowsByThread,
  updateTask,
} from './rows/task-rows.ts'
export { allTokens, insertToken, noteTokenUse, revokeToken, validToken } from './rows/token-rows.ts'
export { turnFigures } from './rows/turn-figures.ts'
export { hasTurn, hasTurnIn, isRecorded, recordTurn, type TurnInsert } from './rows/turn-rows.ts'
export {
  deleteUntold,
  insertUploads,
  type StoredUpload,
  takeUntold,
  tasksThatAre,
  uploadRows,
} from './rows/upload-rows.ts'
export type { UsageFigures } from './rows/usage-figures.ts'
export {
  beatWorker,
  bootIn,
  isRunning,
  isWorkerUp,
  type ListedWorker,
  listWorkers,
  loseWorkers,
  readDatabaseTime,
  registerWorker,
  type StoredWorker,
  setDraining,
  stopWorker,
  type WorkerFacts,
  type WorkerStart,
  workerRow,
} from './rows/worker-rows.ts'
export {
  insertWorkspace,
  lockFolders,
  type StoredWorkspace,
  tasksAtWork,
  updateWorkspace,
  workspaceOfTask,
  workspaceRow,
  workspaceRows,
  workspacesOfTask,
} from './rows/workspace-rows.ts'
export type { MessageRow, TaskRow } from './schema.ts'
export { type Backup, backupDatabase } from './sqlite/backup.ts'
export { checkDatabase } from './sqlite/check.ts'
export { databaseFile, type OpenDatabase, openDatabase } from './sqlite/database.ts'
export { type DailyCopyOptions, keepDailyCopy } from './sqlite/kept-copies.ts'
export { listRepairs, type Repair } from './sqlite/repair.ts'
export { StoreError, type StoreErrorCode } from './store-errors.ts'
export type { OwnEvents, TaskEvent } from './task-event.ts'
export { hasEnded, isHeld, TASK_STATUSES, type TaskStatus } from './task-statuses.ts'
export { databaseTrouble } from './trouble.ts'
export type { Finding } from './upkeep/finding.ts'
export { type Pruned, prune, type Retention } from './upkeep/retention.ts'
