// What a turn's notifications add up to: its messages, its items, its usage, how it ended. Reads only the fields it
// acts on and tolerates any other shape, because a newer codex may send one.
import type { TurnError } from '../failure/index.ts'
import { type ChatMessage, MessageProjector } from '../messages/index.ts'
import type { CodexNotification, protocol } from '../protocol/index.ts'
import { minusTokens } from './token-usage.ts'
import type { AgentMessage, ItemState, TokenUsage } from './turn-outcome.ts'

/** What codex says about a finished turn; only these fields decide. */
export type Verdict = Pick<protocol.v2.Turn, 'id' | 'status' | 'error'>

/** What versions before 0.150 let the agent say when a turn was cut short. */
const ABORTED = /^\s*<turn_aborted\/?>/

export class TurnProgress {
  readonly items = new Map<string, ItemState>()
  /** By item id, in the order they were completed. */
  readonly #completed = new Map<string, AgentMessage>()
  /** Those of its messages that ask the user something, for an answer that may come later. */
  readonly #questions = new Set<string>()
  /** Text of messages that are still being written. */
  readonly #streaming = new Map<string, string>()
  readonly #projector = new MessageProjector()
  readonly #chat: ChatMessage[] = []
  #usageBefore: TokenUsage | null
  #usageNow: TokenUsage | null = null
  #lastItemType: string | null = null

  /** What codex said on the way about errors it then retried; the verdict of old versions says less. */
  #retriedInfo: protocol.v2.CodexErrorInfo | null = null

  readonly #isUsageRepeated: boolean

  /** `before` is what the thread had used before this turn; null when nobody knows. */
  constructor(usage: { before: TokenUsage | null; isRepeated: boolean }) {
    this.#usageBefore = usage.before
    this.#isUsageRepeated = usage.isRepeated
  }

  /** Completed messages in order, then what was streamed of messages that never completed. */
  get agentMessages(): AgentMessage[] {
    const partial = [...this.#streaming].map(([itemId, text]) => ({
      itemId,
      text,
      phase: null,
      isPartial: true,
    }))
    return [...this.#completed.values(), ...partial]
  }

  /** The last final answer, or the last message there is. A question to the user is neither while there is another. */
  get text(): string | null {
    const all = [...this.#completed.values()]
    const answers = all.filter(({ itemId }) => !this.#questions.has(itemId))
    const messages = answers.length > 0 ? answers : all
    const final = messages.findLast(({ phase }) => phase === 'final_answer')
    return (final ?? messages.at(-1))?.text ?? null
  }

  /** Whether the last thing of a turn that said something is the user's. */
  get hasUnansweredInput(): boolean {
    return this.#lastItemType === 'userMessage' && this.#completed.size > 0
  }

  get usage(): TokenUsage | null {
    return this.#usageNow && this.#usageBefore ? minusTokens(this.#usageNow, this.#usageBefore) : null
  }

  /** The completed items as chat messages. */
  get chat(): readonly ChatMessage[] {
    return this.#chat
  }

  hasOpen(type: string): boolean {
    for (const item of this.items.values()) if (item.type === type && item.status === 'open') return true
    return false
  }

  /** Takes in one notification of this turn. Returns codex's verdict when this one ended the turn. */
  apply(notification: CodexNotification): Verdict | null {
    switch (notification.method) {
      case 'item/agentMessage/delta':
        this.#delta(notification.params)
        return null
      case 'item/started':
        this.#started(notification.params.item)
        return null
      case 'item/completed':
        this.#complete(notification.params.item)
        this.#lastItemType = notification.params.item?.type ?? null
        if (isAbortNotice(notification.params.item))
          return { id: notification.params.turnId, status: 'interrupted', error: null }
        this.#keepMessage(notification.params.item)
        return null
      case 'thread/tokenUsage/updated':
        this.#usage(notification.params.tokenUsage)
        return null
      case 'error':
        if (notification.params.willRetry)
          this.#retriedInfo = notification.params.error?.codexErrorInfo ?? null
        return null
      case 'turn/completed':
        return this.complete(notification.params.turn)
      default:
        return null
    }
  }

  /** A finished turn, as `turn/completed` or the thread's history has it, with the items it brings along. */
  complete(turn: protocol.v2.Turn | undefined): Verdict | null {
    // Since 0.150 codex repeats the last message here: the only place for one whose own event we missed.
    const items = Array.isArray(turn?.items) ? turn.items : []
    for (const item of items) {
      if (!this.#isCompleted(item)) this.#complete(item)
      this.#keepMessage(item)
    }
    return turn ?? null
  }

  /** The verdict's error, with what codex knew earlier where the verdict only says "other": before 0.158 on a 401. */
  errorOf({ status, error }: Verdict): TurnError {
    const info = error?.codexErrorInfo
    const isVague = info === undefined || info === null || info === 'other'
    const message = error?.message ?? `codex ended the turn as "${status}" and gave no reason`
    return { ...error, message, codexErrorInfo: isVague ? (this.#retriedInfo ?? info ?? null) : info }
  }

  /** The turn is over: items that never completed are closed; their late completion is still taken. */
  end(): void {
    this.#chat.push(...this.#projector.end())
    for (const [id, item] of this.items)
      if (item.status === 'open') this.items.set(id, { ...item, status: 'abandoned' })
  }

  #isCompleted(item: protocol.v2.ThreadItem): boolean {
    return this.items.get(item?.id)?.status === 'completed'
  }

  #started(item: protocol.v2.ThreadItem): void {
    if (typeof item?.id !== 'string') return
    this.items.set(item.id, { type: item.type, status: 'open' })
    if (item.type === 'agentMessage') this.#streaming.set(item.id, '')
  }

  #delta({ itemId, delta }: protocol.v2.AgentMessageDeltaNotification): void {
    this.#streaming.set(itemId, (this.#streaming.get(itemId) ?? '') + delta)
  }

  #complete(item: protocol.v2.ThreadItem): void {
    if (typeof item?.id === 'string') this.items.set(item.id, { type: item.type, status: 'completed' })
    this.#streaming.delete(item?.id)
    this.#chat.push(...this.#projector.push(item))
  }

  #keepMessage(item: protocol.v2.ThreadItem): void {
    if (item?.type !== 'agentMessage' || typeof item.text !== 'string') return
    const { id: itemId, text } = item
    if (item.delivery === 'async') this.#questions.add(itemId)
    this.#completed.set(itemId, { itemId, text, phase: item.phase ?? null, isPartial: false })
  }

  /** codex counts per thread; the turn's share is what has been added since before its first model call. */
  #usage(usage: protocol.v2.ThreadTokenUsage): void {
    if (!usage?.total || !usage.last) return
    this.#usageBefore ??= this.#isUsageRepeated ? usage.total : minusTokens(usage.total, usage.last)
    this.#usageNow = usage.total
  }
}

function isAbortNotice(item: protocol.v2.ThreadItem): boolean {
  return item?.type === 'agentMessage' && ABORTED.test(item.text)
}
