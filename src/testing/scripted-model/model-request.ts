// One call codex made to the model, and what a script usually wants to know of it.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

export interface ModelRequest {
  readonly path: string
  /** Which thread asks; null where codex does not say. */
  readonly threadId: string | null
  /** Secrets are not kept: such a header reads `present`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: ResponsesBody
  readonly receivedAt: number
}

/** The body of `POST /v1/responses` as codex sends it; the fields vary with its version. */
export interface ResponsesBody {
  readonly model: string
  readonly instructions?: string
  readonly input: readonly InputItem[]
  readonly tools?: readonly Readonly<Record<string, unknown>>[]
  readonly [field: string]: unknown
}

export interface InputItem {
  readonly type: string
  readonly [field: string]: unknown
}

export interface ToolOutput {
  readonly callId: string
  readonly text: string
}

const SECRET_HEADERS = new Set(['authorization', 'cookie', 'api-key', 'x-api-key'])

export function toModelRequest(request: IncomingMessage, text: string): ModelRequest {
  const body = JSON.parse(text) as ResponsesBody
  const headers = keptHeaders(request.headers)
  // The header came later than the cache key, which is the thread's id in every version we know.
  const threadId = headers['thread-id'] ?? body.prompt_cache_key
  return {
    path: request.url ?? '',
    threadId: typeof threadId === 'string' ? threadId : null,
    headers,
    body,
    receivedAt: Date.now(),
  }
}

function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).map(([name, value]) => {
    return [name, SECRET_HEADERS.has(name) ? 'present' : String(value)] as const
  })
  return Object.fromEntries(kept)
}

/** What the user said last; empty when nobody has said anything. */
export function lastUserText(request: ModelRequest): string {
  const last = request.body.input.findLast(isFromUser)
  return last ? textOf(last.content) : ''
}

/** What the tools answered since the user spoke last, in order. */
export function toolOutputs(request: ModelRequest): ToolOutput[] {
  const { input } = request.body
  return input
    .slice(input.findLastIndex(isFromUser) + 1)
    .filter((item) => item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
    .map((item) => ({ callId: String(item.call_id), text: textOf(item.output) }))
}

// codex speaks in the user's name too: <environment_context>, <turn_aborted>, AGENTS.md and the like.
function isFromUser(item: InputItem): boolean {
  return (
    item.type === 'message' && item.role === 'user' && !/^(<[a-z_]+>|# AGENTS\.md)/.test(textOf(item.content))
  )
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((piece: { text?: unknown }) => (typeof piece.text === 'string' ? piece.text : ''))
    .join('')
}
