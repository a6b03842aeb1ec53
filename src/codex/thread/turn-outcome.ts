import type { Failure } from '../failure/index.ts'
import type { protocol } from '../protocol/index.ts'

export type TokenUsage = protocol.v2.TokenUsageBreakdown

/** One message of the agent. A partial one was being written when the turn ended. */
export interface AgentMessage {
  readonly itemId: string
  readonly text: string
  readonly phase: string | null
  readonly isPartial: boolean
}

/** An abandoned item was open when the turn ended, or when we left it. It becomes `completed` should codex still say so. */
export interface ItemState {
  readonly type: string
  readonly status: 'open' | 'completed' | 'abandoned'
}

/** What is known about a turn however it ended. */
export interface TurnFacts {
  readonly threadId: string
  readonly turnId: string
  /** The last final message of the agent, or its last message; null when it completed none. */
  readonly text: string | null
  /** All its messages in order; what was streamed of unfinished ones comes last. */
  readonly agentMessages: readonly AgentMessage[]
  /**
   * The turn ended with input the model has not answered: codex can take a steer too late for its last call. Start
   * another turn to have it answered.
   */
  readonly hasUnansweredInput: boolean
  /** What this turn used, over all its model calls; null when codex reported none. */
  readonly usage: TokenUsage | null
}

/** How a turn ended, for us. Always a value: only iterating throws, and only when codex or the way to it was lost. */
export type TurnOutcome =
  | (TurnFacts & {
      readonly status: 'completed'
      readonly text: string
      readonly output: StructuredOutput | null
    })
  | (TurnFacts & { readonly status: 'interrupted'; readonly by: InterruptedBy })
  | (TurnFacts & { readonly status: 'failed'; readonly error: Failure })
  | (TurnFacts & { readonly status: 'timed-out'; readonly timeoutMs: number })
  | (TurnFacts & { readonly status: 'lost'; readonly error: Failure })
  /** We left, and the turn goes on: `resumeThread(threadId)` finds it again. */
  | (TurnFacts & { readonly status: 'detached' })

/** The answer parsed, when an output schema was given. codex does not hold every model to it. */
export type StructuredOutput = { readonly value: unknown } | { readonly error: string }

/** `codex`: codex ended it, or another client did. */
export type InterruptedBy = 'user' | 'shutdown' | 'codex'

/** Why no more is heard of a turn: codex or the way to it was lost, we ended codex, or we left it running. */
export type LossCause = 'lost' | 'shutdown' | 'detached'

export function parseOutput(text: string): StructuredOutput {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error: `the answer is not JSON: ${(error as Error).message}` }
  }
}
