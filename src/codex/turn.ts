import { LONGEST_TIMER_MS } from '../util/longest-timer.ts'
import { INTERRUPT_SETTLE_MS, MAX_BUFFERED_NOTIFICATIONS } from './defaults.ts'
import { RequestTimeoutError, RpcError, type TransportClosedError } from './errors.ts'
import { turnFailure } from './failure.ts'
import { type TurnInput, userInput } from './input.ts'
import { NotificationQueue } from './notification-queue.ts'
import type {
  ClientMethod,
  ClientParams,
  ClientResult,
  CodexNotification,
  protocol,
} from './protocol/index.ts'
import type { InterruptedBy, TurnFacts, TurnOutcome } from './turn-outcome.ts'
import { TurnProgress } from './turn-progress.ts'

/** What a turn needs of its client. */
export type Request = <M extends ClientMethod>(method: M, params: ClientParams<M>) => Promise<ClientResult<M>>

/**
 * One turn: an async iterable of its notifications, in wire order from the first, and an `outcome`.
 * Iterate it once, or not at all; the outcome settles either way.
 */
export class Turn implements AsyncIterable<CodexNotification> {
  readonly id: string
  readonly threadId: string
  /** Never rejects. Settles on `turn/completed` of exactly this turn, or when codex is gone. */
  readonly outcome: Promise<TurnOutcome>

  readonly #request: Request
  readonly #events = new NotificationQueue(MAX_BUFFERED_NOTIFICATIONS)
  readonly #progress = new TurnProgress()
  readonly #settle: (outcome: TurnOutcome) => void
  #hasEnded = false
  #isIterated = false
  #interruption: Promise<void> | null = null
  #interruptedBy: InterruptedBy | 'deadline' = 'codex'
  #timeoutMs = 0

  constructor(ids: { id: string; threadId: string }, request: Request) {
    this.id = ids.id
    this.threadId = ids.threadId
    this.#request = request
    const { promise, resolve } = Promise.withResolvers<TurnOutcome>()
    this.outcome = promise
    this.#settle = resolve
  }

  get hasEnded(): boolean {
    return this.#hasEnded
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

  /** Gives the model more input while it works. Rejects when this turn is no longer the thread's active one. */
  async steer(input: TurnInput, options: { clientMessageId?: string } = {}): Promise<void> {
    await this.#request('turn/steer', {
      threadId: this.threadId,
      expectedTurnId: this.id,
      input: userInput(input),
      clientUserMessageId: options.clientMessageId ?? null,
    })
  }

  /** Ends the turn. Resolves when it has ended, or after a few seconds when codex does not say so. Idempotent. */
  interrupt(): Promise<void> {
    return this.#interrupt('user')
  }

  /** Called by the thread, on the reader. */
  receive(notification: CodexNotification): void {
    if (this.#hasEnded) return
    this.#events.push(notification)
    const verdict = this.#progress.apply(notification)
    if (verdict?.id === this.id) this.#end(this.#judge(verdict))
  }

  /** The connection is gone and with it any chance to hear how the turn ended. */
  lose(reason: TransportClosedError, isOurDoing: boolean): void {
    if (isOurDoing) this.#end({ ...this.#facts(), status: 'interrupted', by: 'shutdown' })
    else this.#end({ ...this.#facts(), status: 'lost', error: reason }, reason)
  }

  /** Interrupts when the signal aborts or the time is up. */
  limit({ timeoutMs, signal }: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined }): void {
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
    if (this.#hasEnded) return Promise.resolve()
    this.#interruption ??= this.#askToEnd(by)
    return this.#interruption
  }

  async #askToEnd(by: InterruptedBy | 'deadline'): Promise<void> {
    this.#interruptedBy = by
    const settled = setTimeout(() => this.#end(this.#interruptedOutcome()), INTERRUPT_SETTLE_MS)
    void this.outcome.then(() => clearTimeout(settled))
    try {
      await this.#request('turn/interrupt', { threadId: this.threadId, turnId: this.id })
    } catch (error) {
      // codex refuses when the turn is just ending and never answers for one that has ended: both settle below.
      if (!(error instanceof RpcError || error instanceof RequestTimeoutError) && !this.#hasEnded) throw error
    }
    await this.outcome
  }

  #judge(turn: protocol.v2.Turn): TurnOutcome {
    const facts = this.#facts()
    if (turn.status === 'completed') return { ...facts, status: 'completed', text: facts.text ?? '' }
    if (turn.status === 'interrupted') return this.#interruptedOutcome()
    return { ...facts, status: 'failed', error: turnFailure(turn.error) }
  }

  #interruptedOutcome(): TurnOutcome {
    const by = this.#interruptedBy
    if (by === 'deadline') return { ...this.#facts(), status: 'timed-out', timeoutMs: this.#timeoutMs }
    return { ...this.#facts(), status: 'interrupted', by }
  }

  #facts(): TurnFacts {
    const { text, usage } = this.#progress
    return { threadId: this.threadId, turnId: this.id, text, usage }
  }

  #end(outcome: TurnOutcome, error: TransportClosedError | null = null): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#settle(outcome)
    this.#events.end(error)
  }
}
