// What each kind of item is in a chat. A kind that codex adds is a compile error in the table below, and until then
// a note of the assistant.
import type { protocol } from '../protocol/index.ts'
import type { ItemFields } from './item-fields.ts'
import { textOf } from './item-fields.ts'
import { agentText, hookText, reasoningText, unknownItemText, userText } from './item-text.ts'
import type { MessageLimits } from './limits.ts'
import * as tools from './tool-use.ts'

export type ItemMeaning =
  | { readonly as: 'user' | 'assistant' | 'reasoning' | 'review'; readonly text: string }
  | { readonly as: 'tool'; readonly use: tools.ToolUse }
  | { readonly as: 'nothing' }

type Read = (item: ItemFields, limits: MessageLimits) => ItemMeaning

const nothing: Read = () => ({ as: 'nothing' })
const tool =
  (read: (item: ItemFields, limits: MessageLimits) => tools.ToolUse): Read =>
  (item, limits) => ({ as: 'tool', use: read(item, limits) })

const MEANINGS: Readonly<Record<protocol.v2.ThreadItem['type'], Read>> = {
  userMessage: (item) => ({ as: 'user', text: userText(item) }),
  agentMessage: (item) => ({ as: 'assistant', text: agentText(item) }),
  reasoning: (item) => ({ as: 'reasoning', text: reasoningText(item) }),
  plan: (item) => ({ as: 'assistant', text: textOf(item.text) }),
  hookPrompt: (item) => ({ as: 'user', text: labelled('hook', hookText(item)) }),
  enteredReviewMode: (item) => ({ as: 'user', text: labelled('review', textOf(item.review)) }),
  exitedReviewMode: (item) => ({ as: 'review', text: textOf(item.review) }),
  commandExecution: tool(tools.commandExecution),
  fileChange: tool(tools.fileChange),
  mcpToolCall: tool(tools.mcpToolCall),
  dynamicToolCall: tool(tools.dynamicToolCall),
  functionCallOutput: tool(tools.functionCallOutput),
  webSearch: tool(tools.webSearch),
  imageView: tool(tools.imageView),
  imageGeneration: tool(tools.imageGeneration),
  collabAgentToolCall: tool(tools.collabAgentToolCall),
  sleep: tool(tools.sleep),
  // Facts about the run, said by nobody: they stay events.
  subAgentActivity: nothing,
  contextCompaction: nothing,
}

const UNFINISHED: ReadonlySet<unknown> = new Set(['inProgress', 'in_progress', 'generating'])

export function meaningOf(item: ItemFields, limits: MessageLimits): ItemMeaning {
  if (UNFINISHED.has(item.status)) return { as: 'nothing' }
  const type = textOf(item.type)
  if (!Object.hasOwn(MEANINGS, type)) return { as: 'assistant', text: unknownItemText(item, limits) }
  return MEANINGS[type as keyof typeof MEANINGS](item, limits)
}

/** Marks what no person wrote, though the model took it as input. */
function labelled(label: string, text: string): string {
  return text && `[codex ${label}] ${text}`
}
