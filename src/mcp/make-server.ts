// Drawbridge as an MCP server: its tools and its resources, for one caller.
import { McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { VERSION } from '../codex/index.ts'
import type { Task } from '../tasks/index.ts'
import type { ClientUser } from './ask-user.ts'
import type { McpCaller } from './mcp-caller.ts'
import { addResources } from './resources.ts'
import { addTasksExtension, createdTask, TASKS_EXTENSION, takesTasks } from './tasks-extension.ts'
import { toolResult } from './tool-result.ts'
import { TOOLS, type Tool, type ToolCall } from './tools/index.ts'

const INSTRUCTIONS =
  'Drawbridge runs OpenAI Codex tasks that outlive this connection. task_start returns at once; then call task_wait with the cursor of the last answer until the status is final. Questions of Codex are in the answers; people or task_answer answer them.'

/** The tools never change, and no client is told of new tasks: there is nothing to listen for. */
const CAPABILITIES = { tools: { listChanged: false }, resources: { listChanged: false } }

/** Hostile arguments are refused by count before a schema looks at them. */
const MAX_INPUT_ELEMENTS = 10_000

export function makeServer(
  caller: McpCaller,
  { signal }: { signal?: AbortSignal | undefined } = {},
): McpServer {
  const server = new McpServer(
    { name: 'drawbridge', title: 'Drawbridge', version: VERSION },
    {
      instructions: INSTRUCTIONS,
      maxToolInputElements: MAX_INPUT_ELEMENTS,
      capabilities: { ...CAPABILITIES, extensions: { [TASKS_EXTENSION]: {} } },
    },
  )
  const asked = new Set<string>()
  for (const tool of TOOLS) addTool(server, tool, { caller, signal, asked })
  addResources(server, caller)
  addTasksExtension(server, caller)
  return server
}

interface Serving {
  readonly caller: McpCaller
  readonly signal: AbortSignal | undefined
  readonly asked: Set<string>
}

function addTool(server: McpServer, tool: Tool, serving: Serving): void {
  const { name, description, input, isReadOnly = false } = tool
  server.registerTool(
    name,
    { description, inputSchema: input, ...(isReadOnly && { annotations: { readOnlyHint: true } }) },
    async (given, context) => {
      const user = clientUser(server, context, serving)
      let started: Task | null = null
      const onStarted = (task: Task) => {
        started = task
      }
      const call = { ...callOf(context, serving), user, onStarted }
      const result = await toolResult(() => tool.run(given, call), serving.caller.onError)
      return started && takesTasks(context) ? { ...result, ...createdTask(started) } : result
    },
  )
}

function callOf(
  { mcpReq }: ServerContext,
  { caller, signal }: Serving,
): Omit<ToolCall, 'user' | 'onStarted'> {
  const { progressToken, threadId } = (mcpReq._meta ?? {}) as {
    progressToken?: string | number
    threadId?: unknown
  }
  const notify = (params: { progress: number; message: string }) => {
    const progress = { method: 'notifications/progress', params: { progressToken, ...params } }
    // A client that is gone does not hear it.
    void mcpReq.notify(progress).catch(() => undefined)
  }
  return {
    caller,
    signal: signal ? AbortSignal.any([signal, mcpReq.signal]) : mcpReq.signal,
    threadId: typeof threadId === 'string' && threadId.length <= 200 ? threadId : null,
    progress: progressToken === undefined ? null : notify,
  }
}

/**
 * Only where requests to the client can be taken back: revision 2026-07-28 has none, and there a question would hold the whole
 * call until the user replies. A 2025 client over HTTP has said what it can do to a server that is gone.
 */
function clientUser({ server }: McpServer, { mcpReq }: ServerContext, { asked }: Serving): ClientUser | null {
  if (mcpReq.envelope !== undefined || !server.getClientCapabilities()?.elicitation?.form) return null
  const elicit: ClientUser['elicit'] = ({ message, requestedSchema }, { timeoutMs, signal }) =>
    mcpReq.elicitInput({ mode: 'form', message, requestedSchema }, { timeout: timeoutMs, signal })
  return { elicit, asked }
}
