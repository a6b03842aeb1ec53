// The tools of one thread on the shared server: what they are, whose they are, and how codex is told of them.
import {
  type CallPlace,
  callTool,
  type McpServerConfig,
  type OnToolCall,
  type OpenedThread,
  type ThreadTools,
  type Tool,
  type ToolResult,
  toolsByName,
} from '../codex/index.ts'

export interface GiveOptions {
  /** The name of the MCP server, as the model and config.toml know it. Default `host_tools`. */
  readonly name?: string
  /** What its bearer is made of: give the same again, also after a restart. Default: one that nobody else has. */
  readonly key?: string
  /** Shown to the model with the tools. */
  readonly instructions?: string
  /** Hears of every call when it has ended. */
  readonly onCall?: OnToolCall
  /** Other MCP servers that the thread gets, in the words of codex's configuration. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>
}

/** Who calls, as codex says in `_meta`. */
export interface Claimed {
  readonly threadId: string | null
  readonly turnId: string | null
  readonly callId: string
}

interface Place {
  readonly url: string
  readonly bearer: string
  readonly options: GiveOptions
  /** They can be called, or not. */
  readonly onChange: (given: GivenTools, isCallable: boolean) => void
}

/** Codex adds its own way to and from us. */
const TIMEOUT_MARGIN_SECONDS = 15
const STARTUP_SECONDS = 20

export class GivenTools implements ThreadTools {
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>
  readonly instructions: string | null
  readonly tools: ReadonlyMap<string, Tool>
  readonly #onCall: OnToolCall
  readonly #onChange: Place['onChange']
  #thread: OpenedThread | null = null

  constructor(tools: readonly Tool[], { url, bearer, options, onChange }: Place) {
    this.tools = toolsByName(tools)
    this.instructions = options.instructions ?? null
    this.#onCall = options.onCall ?? (() => {})
    this.#onChange = onChange
    const own = tools.length === 0 ? {} : { [options.name ?? 'host_tools']: this.#config(url, bearer) }
    this.mcpServers = { ...options.mcpServers, ...own }
  }

  /** null until the thread that has them is open. */
  get threadId(): string | null {
    return this.#thread?.id ?? null
  }

  opened(thread: OpenedThread): void {
    this.#thread = thread
    this.#onChange(this, true)
  }

  closed(): void {
    this.#onChange(this, false)
  }

  /** The thread that a sub-agent works for, where it is known. */
  parentOf(threadId: string): string | null {
    return this.#thread?.parentOf(threadId)?.threadId ?? null
  }

  run(tool: Tool, given: unknown, { claimed, signal }: { claimed: Claimed; signal: AbortSignal }) {
    const threadId = this.threadId ?? claimed.threadId ?? ''
    const isOther = claimed.threadId !== null && claimed.threadId !== threadId
    const place: CallPlace = {
      threadId,
      turnId: claimed.turnId,
      subAgentId: isOther ? claimed.threadId : null,
      callId: claimed.callId,
      signal,
      now: Date.now,
      onCall: this.#onCall,
    }
    return callTool(tool, given, place)
  }

  #config(url: string, bearer: string): McpServerConfig {
    const longestMs = Math.max(...[...this.tools.values()].map(({ timeoutMs }) => timeoutMs))
    return {
      url,
      http_headers: { Authorization: `Bearer ${bearer}` },
      // Without it a slow start means a first turn without tools.
      required: true,
      // Models in code mode see deferred tools nowhere.
      omit_tools_from: ['deferred'],
      default_tools_approval_mode: 'approve',
      startup_timeout_sec: STARTUP_SECONDS,
      tool_timeout_sec: Math.ceil(longestMs / 1_000) + TIMEOUT_MARGIN_SECONDS,
    }
  }
}

/** As an MCP `CallToolResult`. */
export function asMcpResult({ content, structured, isError }: ToolResult): Record<string, unknown> {
  return { content, ...(structured !== null && { structuredContent: structured }), isError }
}
