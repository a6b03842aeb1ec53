// The task service over HTTP: the server, and a small client for it.
import '../util/require-node.ts'

export {
  type ApiLimits,
  DEFAULT_LIMITS,
  type FilesDoor,
  type HostDoor,
  type McpDoor,
  type McpDoorCaller,
  type OfferedService,
  type SnapshotsDoor,
  type ToolDoor,
  type TrustDoor,
  type WorkspacesDoor,
} from './api-options.ts'
export type { CredentialRows, SharedStore } from './auth/credential-rows.ts'
export { readOrMakeToken, readToken, rotateToken } from './auth/token.ts'
export type { TokenRows } from './auth/token-rows.ts'
export type { AccountCalls } from './client/account-calls.ts'
export type { AccountsCalls } from './client/accounts-calls.ts'
export { ApiError } from './client/api-error.ts'
export { connect, type DrawbridgeClient } from './client/client.ts'
export type { DownloadedFile, FileAt, FileCalls, FilePart } from './client/file-calls.ts'
export type { FollowOptions } from './client/follow.ts'
export type { CallerMessageCalls, DeliverableCalls } from './client/handover-calls.ts'
export type { ConnectOptions } from './client/http.ts'
export type { SnapshotCalls } from './client/snapshot-calls.ts'
export type { CallOptions, OnceOptions, TaskCalls, TaskFilter, WaitOptions } from './client/task-calls.ts'
export type { TrustCalls } from './client/trust-calls.ts'
export type { WorkspaceCalls } from './client/workspace-calls.ts'
export type * from './contract.ts'
export { makeApiMetrics, serveApi } from './load-server.ts'
export type { ApiMetrics, MetricsSink } from './metrics.ts'
export type { ServedApi, ServeOptions } from './serve.ts'
