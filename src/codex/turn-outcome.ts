import type { TransportClosedError } from './errors.ts'
import type { TurnFailure } from './failure.ts'
import type { protocol } from './protocol/index.ts'

export type TokenUsage = protocol.v2.TokenUsageBreakdown

/** What is known about a turn however it ended. */
export interface TurnFacts {
  readonly threadId: string
  readonly turnId: string
  /** The last final message of the agent, or its last message; null when it completed none. */
  readonly text: string | null
  /** What this turn used, over all its model calls; null when codex reported none. */
  readonly usage: TokenUsage | null
}

/** How a turn ended. A failed or interrupted turn is a value; only the iterator throws, and only when codex died. */
export type TurnOutcome =
  | (TurnFacts & { readonly status: 'completed'; readonly text: string })
  | (TurnFacts & { readonly status: 'interrupted'; readonly by: InterruptedBy })
  | (TurnFacts & { readonly status: 'failed'; readonly error: TurnFailure })
  | (TurnFacts & { readonly status: 'timed-out'; readonly timeoutMs: number })
  | (TurnFacts & { readonly status: 'lost'; readonly error: TransportClosedError })

/** `codex`: codex ended it, or another client did. */
export type InterruptedBy = 'user' | 'shutdown' | 'codex'
