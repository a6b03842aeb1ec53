// Threads and their turns on one client: opening them, routing what codex says to them, and how turns end.
export { Environments } from './environments.ts'
export { type Incident, threadOfIncident } from './incident.ts'
export { BadInputError, inputCharacters, type TurnInput } from './input.ts'
export { NotificationQueue } from './notification-queue.ts'
export { OpenThreads } from './open-threads.ts'
export { isMisplaced } from './placement.ts'
export type { Steered, SteerOptions } from './steer.ts'
export { Thread, type ThreadSettings } from './thread.ts'
export type { ThreadListener } from './thread-listener.ts'
export { type ForkOptions, type ResumeOptions, ThreadOpener, type ThreadOptions } from './thread-opener.ts'
export { minusTokens, NO_TOKENS, plusTokens } from './token-usage.ts'
export { Turn, type TurnOrigin } from './turn.ts'
export { newestTurns, type TurnContext, type TurnIncident } from './turn-context.ts'
export type { OutputSchema, TurnOptions } from './turn-options.ts'
export type {
  AgentMessage,
  InterruptedBy,
  ItemState,
  LossCause,
  StructuredOutput,
  TokenUsage,
  TurnFacts,
  TurnOutcome,
} from './turn-outcome.ts'
export type { QueuedTurn, TurnQueue } from './turn-queue.ts'
