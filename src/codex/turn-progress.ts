// What a turn's notifications add up to: its text, its usage, how it ended. Reads only the fields it acts on and
// tolerates any other shape, because a newer codex may send one.
import type { CodexNotification, protocol } from './protocol/index.ts'
import type { TokenUsage } from './turn-outcome.ts'

type Message = { readonly text: string; readonly isFinal: boolean }

export class TurnProgress {
  #message: Message | null = null
  #usageBefore: TokenUsage | null = null
  #usageNow: TokenUsage | null = null

  get text(): string | null {
    return this.#message?.text ?? null
  }

  get usage(): TokenUsage | null {
    return this.#usageNow && this.#usageBefore ? subtract(this.#usageNow, this.#usageBefore) : null
  }

  /** Takes in one notification of this turn. Returns codex's verdict when this one ended the turn. */
  apply(notification: CodexNotification): protocol.v2.Turn | null {
    switch (notification.method) {
      case 'item/completed':
        this.#item(notification.params.item)
        return null
      case 'thread/tokenUsage/updated':
        this.#usage(notification.params.tokenUsage)
        return null
      case 'turn/completed':
        // Since 0.150 codex repeats the last message here: the only place for one whose own event we missed.
        for (const item of notification.params.turn?.items ?? []) this.#item(item)
        return notification.params.turn ?? null
      default:
        return null
    }
  }

  /** A later commentary does not displace a final answer. */
  #item(item: protocol.v2.ThreadItem): void {
    if (item?.type !== 'agentMessage' || typeof item.text !== 'string') return
    const isFinal = item.phase === 'final_answer'
    if (isFinal || !this.#message?.isFinal) this.#message = { text: item.text, isFinal }
  }

  /** codex counts per thread; the turn's share is what has been added since before its first model call. */
  #usage(usage: protocol.v2.ThreadTokenUsage): void {
    if (!usage?.total || !usage.last) return
    this.#usageBefore ??= subtract(usage.total, usage.last)
    this.#usageNow = usage.total
  }
}

function subtract(a: TokenUsage, b: TokenUsage): TokenUsage {
  const minus = (key: keyof TokenUsage) => (a[key] ?? 0) - (b[key] ?? 0)
  return {
    totalTokens: minus('totalTokens'),
    inputTokens: minus('inputTokens'),
    cachedInputTokens: minus('cachedInputTokens'),
    cacheWriteInputTokens: minus('cacheWriteInputTokens'),
    outputTokens: minus('outputTokens'),
    reasoningOutputTokens: minus('reasoningOutputTokens'),
  }
}
