import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../util/backoff.ts'
import { LONGEST_TIMER_MS } from '../../util/longest-timer.ts'
import { SilenceWatch } from '../../util/silence-watch.ts'
import { INTERRUPT_RETRY, INTERRUPT_SETTLE_MS, MAX_BUFFERED_NOTIFICATIONS } from '../defaults.ts'
import { DrawbridgeError, hasCode, type TransportClosedError } from '../errors/index.ts'
import { toFailure } from '../failure/index.ts'
import type { ChatMessage } from '../messages/index.ts'
import type { CodexNotification } from '../protocol/index.ts'
import { type TurnInput, userInput } from './input.ts'
import { NotificationQueue } from './notification-queue.ts'
import { findTurn, type TurnContext } from './turn-context.ts'
import {
  type InterruptedBy,
  type ItemState,
  type LossCause,
  parseOutput,
  type TokenUsage,
  type TurnFacts,
  type TurnOutcome,
} from './turn-outcome.ts'
import { TurnProgress, type Verdict } from './turn-progress.ts'

/**
 * Who started a turn: this client, or somebody else: codex by itself (a goal), another client. `misplaced`: somebody else, on
 * codex's own machine although the thread is of another; it is being interrupted.
 */
export type TurnOrigin = 'client' | 'codex' | 'misplaced'

/**
 * One turn: an async iterable of its notifications, in wire order from the first, and an `outcome`.
 * Notifications of sub-agents that work for it come along, under their own thread id.
 * Iterate it once, or not at all; the outcome settles either way.
 */
export class Turn implements AsyncIterable<CodexNotification> {
  readonly id: string
  readonly threadId: string
  readonly origin: TurnOrigin
  /** Never rejects. Settles on `turn/completed` of exactly this turn, or when codex is gone. */
  readonly outcome: Promise<TurnOutcome>

  readonly #context: TurnContext
  readonly #events = new NotificationQueue(MAX_BUFFERED_NOTIFICATIONS)
  readonly #progress: TurnProgress
  readonly #watch: SilenceWatch
  readonly #settle: (outcome: TurnOutcome) => void
  #heard = 0
  #hasEnded = false
  #isIterated = false
  #interruption: Promise<void> | null = null
  #interruptedBy: InterruptedBy | 'deadline' = 'codex'
  #timeoutMs = 0
  #hasOutputSchema = false

  constructor(ids: TurnIdentity, context: TurnContext) {
    this.id = ids.id
    this.threadId = ids.threadId
    this.origin = ids.origin
    this.#context = context
    this.#progress = new TurnProgress({ before: ids.usageBefore, isRepeated: context.repeatsUsage })
    const { promise, resolve } = Promise.withResolvers<TurnOutcome>()
    this.outcome = promise
    this.#settle = resolve
    this.#watch = new SilenceWatch({
      ...context.look,
      heard: () => this.#heard,
      look: () =>
        this.#look().catch((error) =>
          context.onIncident({ type: 'look-failed', threadId: this.threadId, turnId: this.id, error }),
        ),
    })
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Every item of the turn by id: open, completed, or abandoned when the turn ended before it. */
  get items(): ReadonlyMap<string, ItemState> {
    return this.#progress.items
  }

  /** The items completed so far as chat messages. */
  get messages(): readonly ChatMessage[] {
    return this.#progress.chat
  }

  /** How many deltas a consumer that fell behind did not get; their text is in `item/completed`. */
  get droppedDeltas(): number {
    return this.#events.droppedDeltas
  }

  [Symbol.asyncIterator](): AsyncIterator<CodexNotification, undefined> {
    if (this.#isIterated) throw new TypeError('a turn can be iterated once')
    this.#isIterated = true
    return this.#events
  }

  /** For whoever hears the notifications elsewhere: none are kept for iterating. */
  discardEvents(): void {
    this.#isIterated = true
    void this.#events.return()
  }

  /** Gives the model more input while it works. Rejects when this turn is no longer the thread's active one. */
  async steer(input: TurnInput, options: { clientMessageId?: string } = {}): Promise<void> {
    const items = await userInput(input, this.#context)
    await this.#context.request('turn/steer', {
      threadId: this.threadId,
      expectedTurnId: this.id,
      input: items,
      clientUserMessageId: options.clientMessageId ?? null,
    })
  }

  /**
   * Ends the turn, and with it (on an experimental client) the commands it left running. Resolves when that is done,
   * or after a few seconds when codex does not say so. Idempotent.
   */
  interrupt(): Promise<void> {
    return this.#interrupt('user')
  }

  /** Called by the thread, on the reader. */
  receive(notification: CodexNotification): void {
    this.#heard++
    // Late: a command that outlived its turn may still complete.
    if (this.#hasEnded) return void this.#progress.apply(notification)
    this.#events.push(notification)
    const verdict = this.#progress.apply(notification)
    if (verdict?.id === this.id) this.#end(this.#judge(verdict))
  }

  /** What a sub-agent does for this turn is shown with it, and adds nothing to its text or usage. */
  receiveFromSubAgent(notification: CodexNotification): void {
    this.#heard++
    this.#events.push(notification)
  }

  /** The connection is gone and with it any chance to hear how the turn ended. */
  lose(reason: TransportClosedError, cause: LossCause): void {
    if (cause === 'lost') this.#end(this.#lostOutcome(reason), reason)
    else if (cause === 'detached') this.#end({ ...this.#facts(), status: 'detached' })
    else this.#end({ ...this.#facts(), status: 'interrupted', by: 'shutdown' })
  }

  /** Interrupts when the signal aborts or the time is up; remembers whether the answer has a schema. */
  limit({ timeoutMs, signal, hasOutputSchema }: TurnLimits): void {
    this.#hasOutputSchema = hasOutputSchema
    const onAbort = () => void this.interrupt()
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort)
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => void this.#expire(timeoutMs), Math.min(timeoutMs, LONGEST_TIMER_MS))
    void this.outcome.then(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    })
  }

  #expire(timeoutMs: number): Promise<void> {
    this.#timeoutMs = timeoutMs
    return this.#interrupt('deadline')
  }

  #interrupt(by: InterruptedBy | 'deadline'): Promise<void> {
    if (this.#hasEnded) return this.#interruption ?? Promise.resolve()
    this.#interruption ??= this.#askToEnd(by)
    return this.#interruption
  }

  async #askToEnd(by: InterruptedBy | 'deadline'): Promise<void> {
    this.#interruptedBy = by
    const giveUp = setTimeout(() => this.#end(this.#interruptedOutcome()), INTERRUPT_SETTLE_MS)
    void this.outcome.then(() => clearTimeout(giveUp))
    const isCommandRunning = this.#progress.hasOpen('commandExecution')
    void this.#sendInterrupt()
    await this.outcome
    if (isCommandRunning && this.#context.isExperimental) await this.#endCommands()
  }

  /**
   * codex refuses for a turn it has announced but not begun, so ask again; it never answers for one that has ended.
   * Either way the outcome tells.
   */
  async #sendInterrupt(): Promise<void> {
    for (let retries = 0; !this.#hasEnded; retries++) {
      const sent = this.#context.request('turn/interrupt', { threadId: this.threadId, turnId: this.id })
      const isRefused = await sent.then(
        () => false,
        (error) => hasCode(error, 'rpc-error'),
      )
      if (!isRefused) return
      await Promise.race([this.outcome, delay(backoffMs(retries, INTERRUPT_RETRY))])
    }
  }

  /** The running command outlives `turn/interrupt` as a background terminal. */
  async #endCommands(): Promise<void> {
    const params = { threadId: this.threadId }
    const limit = { timeoutMs: INTERRUPT_SETTLE_MS }
    await this.#context.request('thread/backgroundTerminals/clean', params, limit).catch((error) => {
      const { id: turnId, threadId } = this
      this.#context.onIncident({ type: 'commands-left-running', threadId, turnId, error })
    })
  }

  /** Nothing has been heard for a while. A quiet command and an open question are healthy; else ask codex. */
  async #look(): Promise<void> {
    if (this.#hasEnded || this.#progress.hasOpen('commandExecution') || this.#context.isAsking(this.id))
      return
    const { thread } = await this.#context.request('thread/read', { threadId: this.threadId })
    if (this.#hasEnded || thread.status?.type === 'active') return
    const turn = await findTurn(this.#context, { threadId: this.threadId, turnId: this.id })
    if (this.#hasEnded || turn?.status === 'inProgress') return
    if (turn) this.#end(this.#judge(this.#progress.complete(turn)!))
    else
      this.#end(
        this.#lostOutcome(new DrawbridgeError('codex no longer knows this turn', { code: 'turn-vanished' })),
      )
  }

  #judge(verdict: Verdict): TurnOutcome {
    const facts = this.#facts()
    if (verdict.status === 'completed') return this.#completedOutcome(facts)
    if (verdict.status === 'interrupted') return this.#interruptedOutcome()
    const error = toFailure(this.#progress.errorOf(verdict), { resetAt: this.#context.resetAt() })
    return { ...facts, status: 'failed', error }
  }

  #completedOutcome(facts: TurnFacts): TurnOutcome {
    const text = facts.text ?? ''
    return { ...facts, status: 'completed', text, output: this.#hasOutputSchema ? parseOutput(text) : null }
  }

  #interruptedOutcome(): TurnOutcome {
    const by = this.#interruptedBy
    if (by === 'deadline') return { ...this.#facts(), status: 'timed-out', timeoutMs: this.#timeoutMs }
    return { ...this.#facts(), status: 'interrupted', by }
  }

  #lostOutcome(reason: Error): TurnOutcome {
    const error = toFailure(reason)
    const resumable = error.resumable && !this.#context.isEphemeral
    return { ...this.#facts(), status: 'lost', error: { ...error, resumable } }
  }

  #facts(): TurnFacts {
    const { text, usage, agentMessages, hasUnansweredInput } = this.#progress
    return { threadId: this.threadId, turnId: this.id, text, agentMessages, hasUnansweredInput, usage }
  }

  #end(outcome: TurnOutcome, error: TransportClosedError | null = null): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#watch.stop()
    this.#progress.end()
    this.#settle(outcome)
    this.#events.end(error)
  }
}

interface TurnIdentity {
  readonly id: string
  readonly threadId: string
  readonly origin: TurnOrigin
  /** What the thread had used before this turn; null when codex has not said. */
  readonly usageBefore: TokenUsage | null
}

export interface TurnLimits {
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly hasOutputSchema: boolean
}
