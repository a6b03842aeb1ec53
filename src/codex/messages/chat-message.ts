/** A message as chat APIs take it. Fields that do not apply are absent, never undefined. */
export type ChatMessage = UserMessage | AssistantMessage | ToolMessage

export interface UserMessage {
  readonly role: 'user'
  readonly content: string
}

/** Speaks (`content`), calls exactly one tool (`tool_calls`, `content` null), or only thought (`content` empty). */
export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly tool_calls?: readonly ToolCall[]
  /** What the model thought before this message. Not every API takes it: drop the field where it is refused. */
  readonly reasoning?: string
}

export interface ToolMessage {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly content: string
}

export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  /** `arguments` is the JSON text of an object, keys sorted. */
  readonly function: { readonly name: string; readonly arguments: string }
}
