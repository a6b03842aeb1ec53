import type { TokenUsage } from '../codex/index.ts'

/** As codex tells it: all that a thread has used, and what its last model call did. */
export interface ThreadTokens {
  readonly total?: TokenUsage | undefined
  readonly last?: TokenUsage | undefined
}

export const NO_TOKENS: TokenUsage = {
  totalTokens: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
}

/** What the thread of a task and those of its sub-agents have used, by codex's own count. */
export class TokenMeter {
  readonly #threads = new Map<string, { counted: TokenUsage; readonly total: TokenUsage }>()

  /** A fork begins with what the other thread had used: its own is what its first model call did, and all since. */
  hear(threadId: string, tokens: ThreadTokens | null | undefined): void {
    const { total, last } = tokens ?? {}
    if (!total) return
    const counted = this.#threads.get(threadId)?.counted ?? (last ? minus(total, last) : total)
    this.#threads.set(threadId, { counted, total })
  }

  /** null until codex has said. */
  totalOf(threadId: string): TokenUsage | null {
    return this.#threads.get(threadId)?.total ?? null
  }

  /** Another knows what has been counted of this thread: what was written down before a restart. */
  setCounted(threadId: string, counted: TokenUsage): void {
    const known = this.#threads.get(threadId)
    if (known) known.counted = counted
  }

  /** All that was used and not taken yet. */
  take(): TokenUsage {
    let used = NO_TOKENS
    for (const thread of this.#threads.values()) {
      used = plus(used, minus(thread.total, thread.counted))
      thread.counted = thread.total
    }
    return used
  }
}

function plus(a: TokenUsage, b: TokenUsage): TokenUsage {
  return merged(a, b, (one, other) => one + other)
}

function minus(a: TokenUsage, b: TokenUsage): TokenUsage {
  return merged(a, b, (one, other) => Math.max(one - other, 0))
}

function merged(a: TokenUsage, b: TokenUsage, merge: (one: number, other: number) => number): TokenUsage {
  const of = (name: keyof TokenUsage) => merge(count(a[name]), count(b[name]))
  return {
    totalTokens: of('totalTokens'),
    inputTokens: of('inputTokens'),
    cachedInputTokens: of('cachedInputTokens'),
    cacheWriteInputTokens: of('cacheWriteInputTokens'),
    outputTokens: of('outputTokens'),
    reasoningOutputTokens: of('reasoningOutputTokens'),
  }
}

/** Other versions of codex may leave a field out. */
function count(tokens: unknown): number {
  return typeof tokens === 'number' ? tokens : 0
}
