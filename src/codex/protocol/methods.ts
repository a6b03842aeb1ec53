// Every method of the pinned codex, with what goes in and what comes back. A server request that codex adds or
// removes is a compile error in `ServerRequestResults` below, and nowhere else.
import type { ApplyPatchApprovalResponse } from './generated/ApplyPatchApprovalResponse.ts'
import type { ClientRequest } from './generated/ClientRequest.ts'
import type { ClientResults } from './generated/client-results.ts'
import type { ExecCommandApprovalResponse } from './generated/ExecCommandApprovalResponse.ts'
import type { v2 } from './generated/index.ts'
import type { ServerNotification } from './generated/ServerNotification.ts'
import type { ServerRequest } from './generated/ServerRequest.ts'

type ParamsOf<Union extends { method: string }, Method> =
  Extract<Union, { method: Method }> extends { params?: infer Params } ? Params : undefined

export type ClientMethod = ClientRequest['method']
export type ClientParams<M extends ClientMethod> = ParamsOf<ClientRequest, M>
export type ClientResult<M extends ClientMethod> = ClientResults[M]

export type ServerMethod = ServerRequest['method']
export type ServerParams<M extends ServerMethod> = ParamsOf<ServerRequest, M>
export type ServerResult<M extends ServerMethod> = ServerRequestResults[M]

export type NotificationMethod = ServerNotification['method']
export type NotificationParams<M extends NotificationMethod> = ParamsOf<ServerNotification, M>

/**
 * A notification, discriminated by `method`. Codex may send methods, items and enum values that these types do not
 * know yet: they arrive all the same.
 */
export type CodexNotification = {
  [M in NotificationMethod]: {
    readonly method: M
    readonly params: NotificationParams<M>
    /** codex's own clock; null before 0.145. */
    readonly emittedAtMs: number | null
    /** The line as codex wrote it. */
    readonly raw: string
  }
}[NotificationMethod]

type ExactlyTheServerMethods<
  Table extends Record<ServerMethod, unknown> & { [Method in Exclude<keyof Table, ServerMethod>]: never },
> = Table

type ServerRequestResults = ExactlyTheServerMethods<{
  'item/commandExecution/requestApproval': v2.CommandExecutionRequestApprovalResponse
  'item/fileChange/requestApproval': v2.FileChangeRequestApprovalResponse
  'item/tool/requestUserInput': v2.ToolRequestUserInputResponse
  'mcpServer/elicitation/request': v2.McpServerElicitationRequestResponse
  'item/permissions/requestApproval': v2.PermissionsRequestApprovalResponse
  'item/tool/call': v2.DynamicToolCallResponse
  'account/chatgptAuthTokens/refresh': v2.ChatgptAuthTokensRefreshResponse
  'attestation/generate': v2.AttestationGenerateResponse
  'currentTime/read': v2.CurrentTimeReadResponse
  applyPatchApproval: ApplyPatchApprovalResponse
  execCommandApproval: ExecCommandApprovalResponse
}>
