// Takes notices from the outbox to their targets: several at a time, few to one machine, one to each target. What was sent is
// marked after it was sent, so a crash in between sends it again, under the same id.

import type { OutgoingNotice } from '../model/index.ts'
import type { Clock } from './clock.ts'
import { SYSTEM_CLOCK } from './clock.ts'
import type { Draft, NoticeSender } from './notice-sender.ts'
import type { Outbox } from './outbox.ts'
import { nextDelayMs, RETRIES, type RetryOptions } from './retry-plan.ts'
import { failed, type SendResult } from './senders/index.ts'

export interface OutboxWorkerOptions {
  readonly outbox: Outbox
  readonly sender: Pick<NoticeSender, 'send' | 'draft' | 'machine'>
  readonly clock?: Clock | undefined
  readonly retries?: RetryOptions | undefined
  /** How many are under way at once. Default 16. */
  readonly parallel?: number | undefined
  /** Other workers put notices in too: looks at least this often. null: only when it is woken, or one is due. */
  readonly lookEveryMs?: number | null | undefined
  /** Hears how every attempt ended. Must not throw. */
  readonly onResult?: ((notice: OutgoingNotice, result: SendResult) => void) | undefined
  /** The outbox itself failed. The worker goes on. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const PAGE = 50
/** A target that is slow must not hold up the others of its machine, nor may all of them be had at once. */
const PER_MACHINE = 3
/** After the outbox failed: what could not be marked must not be sent again at once. */
const TROUBLE_PAUSE_MS = 30_000
/** After another worker was faster: its targets may have more. */
const LOST_PAUSE_MS = 1_000

export class OutboxWorker {
  readonly #options: OutboxWorkerOptions
  readonly #clock: Clock
  readonly #abort = new AbortController()
  /** By target. */
  readonly #running = new Map<string, { readonly machine: string; readonly done: Promise<void> }>()
  /** By target: not before this time. */
  readonly #pausedUntil = new Map<string, number>()
  #looking: Promise<void> | null = null
  #mustLookAgain = false
  #isStopped = false
  #cancelTimer: (() => void) | null = null

  constructor(options: OutboxWorkerOptions) {
    this.#options = options
    this.#clock = options.clock ?? SYSTEM_CLOCK
  }

  /** Looks for what is due, now. To be called at the start and whenever something was put in. */
  wake(): void {
    if (this.#isStopped) return
    this.#mustLookAgain = true
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
      if (this.#mustLookAgain) this.wake()
    })
  }

  /** Resolves when nothing is under way and nothing more is due now. */
  async drain(): Promise<void> {
    while (this.#looking || this.#running.size > 0) {
      await this.#looking
      await Promise.all([...this.#running.values()].map(({ done }) => done))
    }
  }

  /** Begins nothing more and waits for what is under way; what takes longer is cut off and will be sent again. */
  async stop({ deadlineMs }: { readonly deadlineMs: number }): Promise<void> {
    this.#isStopped = true
    this.#cancelTimer?.()
    const cancel = this.#clock.after(deadlineMs, () =>
      this.#abort.abort(new Error('the service is stopping')),
    )
    await this.drain()
    cancel()
  }

  dryRun(notice: OutgoingNotice): Draft | { readonly error: string } {
    return this.#options.sender.draft(notice)
  }

  async #look(): Promise<void> {
    while (this.#mustLookAgain && !this.#isStopped) {
      this.#mustLookAgain = false
      try {
        await this.#startDue()
      } catch (error) {
        this.#options.onError?.(error)
        this.#wakeAt(this.#clock.now() + TROUBLE_PAUSE_MS)
      }
    }
  }

  async #startDue(): Promise<void> {
    const { outbox, parallel = 16, lookEveryMs } = this.#options
    const now = this.#clock.now()
    const passedOver = this.#pausedTargets(now)
    for (const target of this.#running.keys()) passedOver.add(target)
    let lookAt = lookEveryMs == null ? Number.POSITIVE_INFINITY : now + lookEveryMs
    while (this.#running.size < parallel && !this.#isStopped) {
      const due = await outbox.due(now, { limit: PAGE, exceptTargets: [...passedOver] })
      if (due.length === 0) break
      const chosen = this.#choose(due, passedOver)
      const claimed = outbox.claim ? await outbox.claim(chosen, now) : chosen
      if (claimed.length < chosen.length) lookAt = now + LOST_PAUSE_MS
      if (this.#isStopped) return outbox.release?.(claimed)
      for (const notice of claimed) this.#begin(notice)
    }
    // Whoever is done next looks again.
    if (this.#running.size >= parallel) return
    const next = await outbox.nextDueAt({ exceptTargets: [...passedOver], now })
    this.#wakeAt(Math.min(next ?? Number.POSITIVE_INFINITY, lookAt, ...this.#pausedUntil.values()))
  }

  /** One for each target that is not passed over, and few for a machine. Their targets are passed over from here on. */
  #choose(due: readonly OutgoingNotice[], passedOver: Set<string>): readonly OutgoingNotice[] {
    const { sender, parallel = 16 } = this.#options
    const chosen: OutgoingNotice[] = []
    const machines = [...this.#running.values()].map(({ machine }) => machine)
    for (const notice of due) {
      if (machines.length >= parallel || passedOver.has(notice.target)) continue
      passedOver.add(notice.target)
      const machine = sender.machine(notice.target)
      if (machines.filter((each) => each === machine).length >= PER_MACHINE) continue
      machines.push(machine)
      chosen.push(notice)
    }
    return chosen
  }

  #begin(notice: OutgoingNotice): void {
    const machine = this.#options.sender.machine(notice.target)
    const done = this.#deliver(notice).finally(() => {
      this.#running.delete(notice.target)
      this.wake()
    })
    this.#running.set(notice.target, { machine, done })
  }

  async #deliver(notice: OutgoingNotice): Promise<void> {
    const { signal } = this.#abort
    const result = await this.#options.sender
      .send(notice, { signal })
      .catch((error: unknown) => failed(String(error)))
    try {
      if (!result.ok && signal.aborted) return await this.#options.outbox.release?.([notice])
      await this.#record(notice, result)
      this.#options.onResult?.(notice, result)
    } catch (error) {
      this.#pausedUntil.set(notice.target, this.#clock.now() + TROUBLE_PAUSE_MS)
      this.#options.onError?.(error)
    }
  }

  async #record(notice: OutgoingNotice, result: SendResult): Promise<void> {
    const { outbox, retries = RETRIES } = this.#options
    const now = this.#clock.now()
    if (result.ok) return outbox.sent(notice.id, now)
    const delayMs = nextDelayMs(result, { attempts: notice.attempts + 1, retries })
    // The receiver wants to be left alone: that goes for all that waits for it, and costs those no attempt.
    if (result.retryAfterMs !== null) this.#pausedUntil.set(notice.target, now + (delayMs ?? 0))
    if (delayMs === null) return outbox.dead(notice.id, result.error)
    return outbox.failed(notice.id, { error: result.error, nextAttemptAt: Math.ceil(now + delayMs) })
  }

  #pausedTargets(now: number): Set<string> {
    for (const [target, until] of this.#pausedUntil) if (until <= now) this.#pausedUntil.delete(target)
    return new Set(this.#pausedUntil.keys())
  }

  #wakeAt(time: number): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    if (time === Number.POSITIVE_INFINITY || this.#isStopped) return
    this.#cancelTimer = this.#clock.after(Math.max(0, time - this.#clock.now()), () => this.wake())
  }
}
