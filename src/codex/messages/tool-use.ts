// Items that are a tool call and its result.
import { cutMiddle, cutText } from '../../util/cut-text.ts'
import { fieldsOf, type ItemFields, isFields, listOf, present, textOf } from './item-fields.ts'
import type { MessageLimits } from './limits.ts'
import { mapStrings, stableJson } from './stable-json.ts'
import { snakeCase, toolName } from './tool-name.ts'
import { withoutMedia } from './without-media.ts'

export interface ToolUse {
  /** Part of the call's id: short, so that the item id still fits. */
  readonly kind: string
  readonly name: string
  readonly arguments: ItemFields
  readonly result: string
}

type ReadToolUse = (item: ItemFields, limits: MessageLimits) => ToolUse

/** Exit code and output as data: an output that looks like our own wording cannot be mistaken for it. */
export const commandExecution: ReadToolUse = (item, limits) => ({
  kind: 'exec',
  name: 'exec_command',
  arguments: { command: textOf(item.command), cwd: textOf(item.cwd) },
  result: stableJson({
    exit_code: item.exitCode ?? null,
    output: cutMiddle(textOf(item.aggregatedOutput), limits.commandOutput),
    status: unlessCompleted(item.status),
  }),
})

/** Names the files, not their content: the patch is in the item. */
export const fileChange: ReadToolUse = (item) => {
  const changes = listOf(item.changes).map(fieldsOf)
  return {
    kind: 'apply_patch',
    name: 'apply_patch',
    arguments: { changes: changes.map(changedFile) },
    result: stableJson({ changes: changes.length, status: textOf(item.status) || 'unknown' }),
  }
}

export const mcpToolCall: ReadToolUse = (item, limits) => ({
  kind: 'mcp',
  name: toolName('mcp', textOf(item.server) || 'unknown', textOf(item.tool) || 'unknown'),
  arguments: asArguments(item.arguments),
  result: mcpResult(item, limits),
})

export const dynamicToolCall: ReadToolUse = (item, limits) => ({
  kind: 'dyn',
  name: toolName(...[textOf(item.namespace), textOf(item.tool) || 'unknown'].filter(Boolean)),
  arguments: asArguments(item.arguments),
  result: Array.isArray(item.contentItems)
    ? resultText({ content: item.contentItems, success: item.success === false ? false : undefined }, limits)
    : stableJson({ success: item.success ?? null }),
})

/** Only the output is told; what the tool was called with is not. */
export const functionCallOutput: ReadToolUse = (item, limits) => ({
  kind: 'fn',
  name: toolName(...[textOf(item.namespace), textOf(item.name) || 'unknown'].filter(Boolean)),
  arguments: {},
  result:
    typeof item.output === 'string'
      ? cutText(item.output, limits.toolResult) || finished(item)
      : resultText(item.output ?? null, limits),
})

export const webSearch: ReadToolUse = (item, limits) => ({
  kind: 'web_search',
  name: 'web_search',
  arguments: present({ query: item.query, action: isFields(item.action) ? present(item.action) : null }),
  result: Array.isArray(item.results) ? resultText({ results: item.results }, limits) : finished(item),
})

export const imageView: ReadToolUse = (item) => ({
  kind: 'view_image',
  name: 'view_image',
  arguments: { path: textOf(item.path) },
  result: finished(item),
})

/** The picture itself stays in the item. */
export const imageGeneration: ReadToolUse = (item, limits) => ({
  kind: 'image',
  name: 'image_generation',
  arguments: present({ prompt: item.revisedPrompt }),
  result: resultText(
    present({
      failure: item.failure,
      file_id: item.fileId,
      saved_path: item.savedPath,
      status: textOf(item.status) || 'unknown',
    }),
    limits,
  ),
})

export const collabAgentToolCall: ReadToolUse = (item, limits) => ({
  kind: 'agent',
  name: toolName(snakeCase(textOf(item.tool) || 'unknown')),
  arguments: present({
    agents: listOf(item.receiverThreadIds),
    model: item.model,
    prompt: item.prompt,
    reasoning_effort: item.reasoningEffort,
  }),
  result: resultText(
    { agents: fieldsOf(item.agentsStates), status: textOf(item.status) || 'unknown' },
    limits,
  ),
})

export const sleep: ReadToolUse = (item) => ({
  kind: 'sleep',
  name: 'sleep',
  arguments: { duration_ms: item.durationMs ?? null },
  result: finished(item),
})

/** JSON text of a call's arguments, valid whatever the limit. */
export function argumentsText(fields: ItemFields, limits: MessageLimits): string {
  const limit = limits.toolArguments
  const whole = stableJson(mapStrings(fields, withoutMedia))
  if (whole.length <= limit) return whole
  const cut = stableJson(mapStrings(fields, (text) => cutText(withoutMedia(text), Math.floor(limit / 2))))
  return cut.length <= limit ? cut : stableJson({ cut: cutText(whole, Math.floor(limit / 2)) })
}

function changedFile(change: ItemFields): ItemFields {
  const kind = isFields(change.kind) ? change.kind : { type: change.kind }
  return present({
    kind: textOf(kind.type) || 'update',
    path: textOf(change.path) || 'unknown',
    move_path: kind.move_path,
  })
}

function mcpResult(item: ItemFields, limits: MessageLimits): string {
  if (item.error !== null && item.error !== undefined) {
    const error = textOf(fieldsOf(item.error).message) || stableJson(item.error)
    return stableJson({ error: cutText(error, limits.toolError) })
  }
  if (!isFields(item.result)) return finished(item)
  const { _meta, ...result } = item.result
  return resultText(present(result), limits)
}

function resultText(value: unknown, limits: MessageLimits): string {
  return cutText(stableJson(withoutBytes(mapStrings(value, withoutMedia))), limits.toolResult)
}

/** MCP carries a picture's bytes as plain base64 in `data`, beside its `mimeType`. */
function withoutBytes(value: unknown): unknown {
  if (!isFields(value) || !Array.isArray(value.content)) return value
  const content = value.content.map((block) =>
    isFields(block) && typeof block.data === 'string' && typeof block.mimeType === 'string'
      ? { ...block, data: `[${block.data.length} characters]` }
      : block,
  )
  return { ...value, content }
}

function asArguments(value: unknown): ItemFields {
  if (value === null || value === undefined) return {}
  return isFields(value) ? value : { arguments: value }
}

/** Some APIs refuse an empty tool message, so a call without a result at least says how it ended. */
function finished(item: ItemFields): string {
  return stableJson({ status: textOf(item.status) || 'completed' })
}

function unlessCompleted(status: unknown): unknown {
  return status === 'completed' ? undefined : (status ?? 'unknown')
}
