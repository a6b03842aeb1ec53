import type { protocol } from '../protocol/index.ts'
import { CallIds } from './call-ids.ts'
import type { AssistantMessage, ChatMessage } from './chat-message.ts'
import { type ItemFields, isFields, textOf } from './item-fields.ts'
import { meaningOf } from './item-meaning.ts'
import { DEFAULT_MESSAGE_LIMITS, type MessageLimits } from './limits.ts'
import { argumentsText, type ToolUse } from './tool-use.ts'

export interface ProjectionOptions {
  /** Overrides single limits. */
  readonly limits?: Partial<MessageLimits>
}

/**
 * Turns completed items into chat messages, one item at a time. Use one for a whole thread: call ids are unique within
 * it. Never throws, whatever the item. The order rules its messages keep are in `docs/user/messages.md`.
 */
export class MessageProjector {
  readonly #limits: MessageLimits
  readonly #callIds = new CallIds()
  #reasoning: string[] = []
  #review: string | null = null

  constructor(options: ProjectionOptions = {}) {
    this.#limits = { ...DEFAULT_MESSAGE_LIMITS, ...options.limits }
  }

  /** The messages this item adds: none, one, or a call and its result; before a user's message also held reasoning. */
  push(item: protocol.v2.ThreadItem): ChatMessage[] {
    return isFields(item) ? this.#project(item) : []
  }

  /** Call once after the last item: reasoning that no message followed becomes a message of its own. */
  end(): ChatMessage[] {
    return this.#reasoning.length > 0 ? [this.#assistant({ content: '' })] : []
  }

  #project(item: ItemFields): ChatMessage[] {
    const meaning = meaningOf(item, this.#limits)
    if (meaning.as === 'nothing') return []
    if (meaning.as === 'tool') return this.#call(item, meaning.use)
    if (meaning.text === '') return []
    switch (meaning.as) {
      case 'reasoning':
        this.#reasoning.push(meaning.text)
        return []
      case 'user':
        this.#review = null
        // What was thought before the user spoke does not belong to the answer.
        return [...this.end(), { role: 'user', content: meaning.text }]
      case 'review':
        this.#review = meaning.text
        return [this.#assistant({ content: meaning.text })]
      case 'assistant':
        return this.#speak(meaning.text)
    }
  }

  /** codex ends a review with the item and then says the same again as a message. */
  #speak(text: string): ChatMessage[] {
    const isRepeat = text === this.#review
    this.#review = null
    return isRepeat ? [] : [this.#assistant({ content: text })]
  }

  #call(item: ItemFields, use: ToolUse): ChatMessage[] {
    const id = this.#callIds.next(use.kind, textOf(item.id), item)
    const call = { name: use.name, arguments: argumentsText(use.arguments, this.#limits) }
    return [
      this.#assistant({ content: null, tool_calls: [{ id, type: 'function', function: call }] }),
      { role: 'tool', tool_call_id: id, content: use.result },
    ]
  }

  #assistant(fields: Omit<AssistantMessage, 'role' | 'reasoning'>): AssistantMessage {
    const reasoning = this.#reasoning.join('\n')
    this.#reasoning = []
    return { role: 'assistant', ...fields, ...(reasoning && { reasoning }) }
  }
}

/** The messages of a thread's items. The same items give the same bytes. */
export function projectItems(
  items: Iterable<protocol.v2.ThreadItem>,
  options?: ProjectionOptions,
): ChatMessage[] {
  const projector = new MessageProjector(options)
  return [...Array.from(items).flatMap((item) => projector.push(item)), ...projector.end()]
}
