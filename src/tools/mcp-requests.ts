// The part of MCP that a client needs to list and call tools. Errors of a call are results: the model reads them.
import { type ToolResult, VERSION } from '../codex/index.ts'
import { asMcpResult, type Claimed, type GivenTools } from './given-tools.ts'

export interface McpMessage {
  readonly id?: string | number | null
  readonly method?: unknown
  readonly params?: unknown
}

interface McpParts {
  /** The tools of the caller, when they are there. */
  readonly given: () => Promise<GivenTools | null>
  /** Why these tools are not for this thread; null: they are. */
  readonly refusal: (given: GivenTools, claimed: Claimed) => string | null
  readonly signal: AbortSignal
}

/** What 0.125 to 0.166 and the official clients ask for. Of others we answer with the newest. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

export class McpError extends Error {
  readonly rpcCode: number

  constructor(rpcCode: number, message: string) {
    super(message)
    this.rpcCode = rpcCode
  }
}

export async function answerMcp({ method, params }: McpMessage, parts: McpParts): Promise<object> {
  switch (method) {
    case 'initialize':
      return initialized(params, await parts.given())
    case 'ping':
      return {}
    case 'tools/list':
      return { tools: listed(await parts.given()) }
    case 'tools/call':
      return asMcpResult(await called(Object(params), parts))
    default:
      throw new McpError(-32601, `there is no method ${String(method).slice(0, 100)}`)
  }
}

function initialized(params: unknown, given: GivenTools | null): object {
  const { protocolVersion } = Object(params) as { protocolVersion?: unknown }
  const instructions = given?.instructions
  return {
    protocolVersion: VERSIONS.find((version) => version === protocolVersion) ?? VERSIONS[0],
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: 'drawbridge-tools', title: 'Tools of the host program', version: VERSION },
    ...(instructions && { instructions }),
  }
}

function listed(given: GivenTools | null): object[] {
  return [...(given?.tools.values() ?? [])].map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }))
}

async function called(
  params: { name?: unknown; arguments?: unknown; _meta?: unknown },
  { given: find, refusal, signal }: McpParts,
): Promise<ToolResult> {
  const given = await find()
  if (!given) return failed('the program that answers this tool is not there: try again later')
  const claimed = claimedIn(params._meta)
  const refused = refusal(given, claimed)
  if (refused !== null) return failed(refused)
  const tool = given.tools.get(String(params.name))
  if (!tool) return failed(`there is no tool ${String(params.name).slice(0, 100)}`)
  return given.run(tool, params.arguments ?? {}, { claimed, signal })
}

function claimedIn(meta: unknown): Claimed {
  const { threadId, callId, 'x-codex-turn-metadata': turn } = Object(meta) as Record<string, unknown>
  return {
    threadId: text(threadId),
    turnId: text(Object(turn).turn_id),
    callId: text(callId) ?? '',
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.length <= 200 ? value : null
}

function failed(message: string): ToolResult {
  return { content: [{ type: 'text', text: message }], structured: null, isError: true }
}
