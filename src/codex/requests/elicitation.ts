// MCP servers asking through codex: may a tool run, what goes into a form, was a page visited. Values are only ever
// what the answerer gave: a required field without one is a decline.
import type { protocol } from '../protocol/index.ts'
import { about, BadAnswerError, type Facts, type Family, isWord, notOffered } from './family.ts'
import type { McpToolCall } from './open-items.ts'
import type { Answer, Choice, ElicitationQuestion, McpToolQuestion } from './question.ts'

type Params = protocol.v2.McpServerElicitationRequestParams
type Reply = protocol.v2.McpServerElicitationRequestResponse

const DECLINE: Reply = { action: 'decline', content: null, _meta: null }

export const elicitation: Family<'mcpServer/elicitation/request'> = {
  refuse: () => DECLINE,

  ask(params, facts) {
    const approval = toolApproval(params, facts)
    return approval ? askForTool(params, { facts, approval }) : askForValues(params, facts)
  },

  reply(answer, params, facts) {
    // `cancel` would not end the turn, from 0.125 to 0.166: it tells the server the same no in another word.
    if (answer === 'deny') return DECLINE
    const approval = toolApproval(params, facts)
    return approval ? replyForTool(answer, approval) : replyForValues(answer, params)
  },
}

interface ToolMeta {
  readonly codex_approval_kind?: unknown
  readonly persist?: readonly string[]
  readonly tool_description?: string
  readonly tool_params?: unknown
}

interface ToolApproval {
  readonly meta: ToolMeta
  /** null when several wait and codex does not say which. */
  readonly call: McpToolCall | null
}

/**
 * codex marks its own question about a tool, but hands on the marks of a server's questions too: it is codex's only
 * where a call to that server waits (its item comes first in every version from 0.125), and of the tool it names.
 */
function toolApproval(params: Params, { toolCalls }: Facts): ToolApproval | null {
  const meta = Object(params._meta) as ToolMeta
  if (meta.codex_approval_kind !== 'mcp_tool_call') return null
  const named = toolName(params)
  const calls = toolCalls.filter(
    ({ server, tool }) => server === params.serverName && (named === null || tool === named),
  )
  if (calls.length === 0) return null
  const exact = calls.filter((call) => JSON.stringify(call.arguments) === JSON.stringify(meta.tool_params))
  const isClear = named !== null || calls.length === 1
  return { meta, call: isClear ? (exact[0] ?? calls[0]!) : null }
}

/** Only the message has it, in quotes. */
function toolName(params: Params): string | null {
  return 'message' in params ? (/run tool "([^"]+)"/.exec(params.message)?.[1] ?? null) : null
}

function askForTool(
  params: Params,
  { facts, approval }: { facts: Facts; approval: ToolApproval },
): McpToolQuestion {
  const { meta, call } = approval
  const message = 'message' in params ? params.message : ''
  return {
    ...about(params, facts),
    itemId: call?.id ?? null,
    kind: 'mcp-tool',
    method: 'mcpServer/elicitation/request',
    title: message || `run a tool of ${params.serverName}`,
    reason: null,
    server: params.serverName,
    tool: call?.tool ?? null,
    description: meta.tool_description ?? null,
    arguments: call ? call.arguments : (meta.tool_params ?? null),
    choices: toolChoices(approval),
  }
}

function toolChoices({ meta }: ToolApproval): Choice[] {
  const persist = Array.isArray(meta.persist) ? meta.persist : []
  const all: (Choice | false)[] = [
    { word: 'once', effect: 'The tool runs now, once.', lasts: 'now' },
    persist.includes('session') && {
      word: 'session',
      effect: "Don't ask again for this tool in this task.",
      lasts: 'thread',
    },
    persist.includes('always') && {
      word: 'always',
      effect: "Don't ask again for this tool: written into codex's config.toml.",
      lasts: 'for good',
    },
    { word: 'deny', effect: 'The tool does not run. Codex is told, and the turn goes on.', lasts: 'now' },
  ]
  return all.filter((choice) => choice !== false)
}

function replyForTool(answer: Answer, approval: ToolApproval): Reply {
  const choices = toolChoices(approval)
  if (!isWord(answer) || !choices.some(({ word }) => word === answer)) return notOffered(answer, choices)
  return { action: 'accept', content: null, _meta: answer === 'once' ? null : { persist: answer } }
}

const NO_VALUES: Choice = {
  word: 'deny',
  effect: 'The server gets no answer. The turn goes on.',
  lasts: 'now',
}
const VISITED: Choice = {
  word: 'once',
  effect: 'The server is told that you visited the page.',
  lasts: 'now',
}
const AGREED: Choice = { word: 'once', effect: 'The server is told yes.', lasts: 'now' }

function askForValues(params: Params, facts: Facts): ElicitationQuestion {
  const message = 'message' in params ? params.message : 'title' in params ? params.title : ''
  return {
    ...about(params, facts),
    kind: 'elicitation',
    method: 'mcpServer/elicitation/request',
    title: `${params.serverName}: ${message}`,
    reason: null,
    server: params.serverName,
    message,
    schema: 'requestedSchema' in params ? params.requestedSchema : null,
    url: 'url' in params ? params.url : null,
    choices: valueChoices(params),
  }
}

function valueChoices(params: Params): Choice[] {
  if ('url' in params) return [VISITED, NO_VALUES]
  const canBeEmpty = 'requestedSchema' in params && required(params).length === 0
  return canBeEmpty ? [AGREED, NO_VALUES] : [NO_VALUES]
}

function replyForValues(answer: Answer, params: Params): Reply {
  const choices = valueChoices(params)
  if (answer === 'once' && choices.some(({ word }) => word === 'once'))
    return { action: 'accept', content: 'url' in params ? null : {}, _meta: null }
  if (typeof answer !== 'object' || !('content' in answer) || !('requestedSchema' in params))
    return notOffered(answer, choices)
  const missing = required(params).filter((name) => answer.content[name] === undefined)
  if (missing.length > 0) throw new BadAnswerError(`the form needs ${missing.join(', ')}`)
  return { action: 'accept', content: answer.content as Reply['content'], _meta: null }
}

function required(params: Params): string[] {
  const { required: names } = Object('requestedSchema' in params ? params.requestedSchema : null) as {
    required?: unknown
  }
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}
