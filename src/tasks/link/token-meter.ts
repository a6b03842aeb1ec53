import { minusTokens, NO_TOKENS, plusTokens, type TokenUsage } from '../../codex/index.ts'

/** As codex tells it: all that a thread has used, and what its last model call did. */
export interface ThreadTokens {
  readonly total?: TokenUsage | undefined
  readonly last?: TokenUsage | undefined
}

/** What the thread of a task and those of its sub-agents have used, by codex's own count. */
export class TokenMeter {
  readonly #threads = new Map<string, { counted: TokenUsage; readonly total: TokenUsage }>()

  /** A fork begins with what the other thread had used: its own is what its first model call did, and all since. */
  hear(threadId: string, tokens: ThreadTokens | null | undefined): void {
    const { total, last } = tokens ?? {}
    if (!total) return
    const counted = this.#threads.get(threadId)?.counted ?? (last ? minusTokens(total, last) : total)
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

  /** All that was used and not taken yet. `take` is called once that is written down: what is heard meanwhile stays. */
  read(): { readonly used: TokenUsage; readonly take: () => void } {
    let used = NO_TOKENS
    const totals: [string, TokenUsage][] = []
    for (const [threadId, { total, counted }] of this.#threads) {
      used = plusTokens(used, minusTokens(total, counted))
      totals.push([threadId, total])
    }
    const take = () => {
      for (const [threadId, total] of totals) this.setCounted(threadId, total)
    }
    return { used, take }
  }
}
