import type { AssistantMessage, ChatMessage, UserMessage } from './chat-message.ts'

/**
 * For APIs that want roles to alternate strictly: no two neighbours are both `user` or both `assistant`. Texts are
 * joined by an empty line; a call joins the words before it and keeps its place before its result.
 */
export function alternateRoles(messages: Iterable<ChatMessage>): ChatMessage[] {
  const joined: ChatMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role === 'user' && message.role === 'user') joined.splice(-1, 1, joinUsers(last, message))
    else if (last?.role === 'assistant' && message.role === 'assistant') {
      joined.splice(-1, 1, joinAssistants(last, message))
    } else joined.push(message)
  }
  return joined
}

function joinUsers(first: UserMessage, second: UserMessage): UserMessage {
  return { role: 'user', content: `${first.content}\n\n${second.content}` }
}

/** `first` has no call: a call's result would stand between them. */
function joinAssistants(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const content = [first.content, second.content].filter(Boolean).join('\n\n')
  const reasoning = [first.reasoning, second.reasoning].filter(Boolean).join('\n')
  const calls = second.tool_calls
  return {
    role: 'assistant',
    content: content === '' && calls ? null : content,
    ...(calls && { tool_calls: calls }),
    ...(reasoning && { reasoning }),
  }
}
