// Items as chat messages, for whoever keeps a history in that form. Pure: reads items, holds no connection.
export { alternateRoles } from './alternate-roles.ts'
export type { AssistantMessage, ChatMessage, ToolCall, ToolMessage, UserMessage } from './chat-message.ts'
export { DEFAULT_MESSAGE_LIMITS, type MessageLimits } from './limits.ts'
export { MessageProjector, type ProjectionOptions, projectItems } from './message-projector.ts'
