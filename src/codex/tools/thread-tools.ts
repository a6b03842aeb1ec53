import type { ClientParams, ServerParams, ServerResult } from '../protocol/index.ts'
import type { ParentTurn, RequestContext } from '../requests/index.ts'

/** The tools of one thread, as codex is told of them. Made by `dynamicTools` or by a tool server. */
export interface ThreadTools {
  /** Sent when a thread is started; codex keeps them with the thread, and takes them from experimental clients only. */
  readonly dynamicTools?: NonNullable<ClientParams<'thread/start'>['dynamicTools']>
  /** `mcp_servers` of the thread's configuration. Sent with every start, resume and fork: codex forgets it. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>
  /** Answers the calls of `dynamicTools`. */
  readonly call?: (
    params: ServerParams<'item/tool/call'>,
    context: RequestContext,
  ) => Promise<ServerResult<'item/tool/call'>>
  /** The thread that has them is open. */
  readonly opened?: (thread: OpenedThread) => void
  /** codex has let go of the thread: no call comes until it is opened again. */
  readonly closed?: () => void
}

/** An MCP server in the words of codex's own configuration. */
export type McpServerConfig = Readonly<Record<string, unknown>>

export interface OpenedThread {
  readonly id: string
  /** The turn on whose behalf a sub-agent works. */
  readonly parentOf: (threadId: string) => ParentTurn | null
}
