import type { TurnInput } from './input.ts'
import type { Turn } from './turn.ts'
import type { TurnOptions } from './turn-options.ts'

/** A turn that waits for its thread to be free. */
export class QueuedTurn {
  readonly input: TurnInput
  readonly options: TurnOptions
  /** The turn once it has started; rejects when it is cancelled or cannot start. */
  readonly turn: Promise<Turn>
  readonly #resolve: (turn: Turn) => void
  readonly #reject: (reason: unknown) => void
  readonly #leave: (queued: QueuedTurn) => boolean

  constructor(input: TurnInput, options: TurnOptions, leave: (queued: QueuedTurn) => boolean) {
    this.input = input
    this.options = options
    this.#leave = leave
    const { promise, resolve, reject } = Promise.withResolvers<Turn>()
    this.turn = promise
    this.#resolve = resolve
    this.#reject = reject
    // Whoever does not wait for it must not be surprised by an unhandled rejection.
    promise.catch(() => {})
  }

  /** Takes it out of the queue. False when it has started already. */
  cancel(reason: unknown = new DOMException('the queued turn was cancelled', 'AbortError')): boolean {
    const wasWaiting = this.#leave(this)
    if (wasWaiting) this.#reject(reason)
    return wasWaiting
  }

  /** Called by the queue. */
  settle(started: Promise<Turn>): Promise<Turn> {
    started.then(this.#resolve, this.#reject)
    return started
  }
}

/** What the queue needs of its thread. */
interface QueueingThread {
  start(input: TurnInput, options: TurnOptions): Promise<Turn>
  whenIdle(): Promise<void>
  isBusy(): boolean
}

/** Turns to be run on one thread, one after the other, in order. An interrupted or failed one does not stop the next. */
export class TurnQueue {
  readonly #thread: QueueingThread
  readonly #waiting: QueuedTurn[] = []
  #isDraining = false

  constructor(thread: QueueingThread) {
    this.#thread = thread
  }

  /** What waits, in order. */
  get waiting(): readonly QueuedTurn[] {
    return [...this.#waiting]
  }

  add(input: TurnInput, options: TurnOptions = {}): QueuedTurn {
    const queued = new QueuedTurn(input, options, (leaving) => this.#leave(leaving))
    this.#waiting.push(queued)
    if (!this.#isDraining) void this.#drain()
    return queued
  }

  /** Nothing will be started any more. */
  cancelAll(reason: unknown): void {
    for (const queued of this.waiting) queued.cancel(reason)
  }

  async #drain(): Promise<void> {
    this.#isDraining = true
    for (;;) {
      await this.#thread.whenIdle()
      // Somebody else may have started a turn since.
      if (this.#thread.isBusy()) continue
      const next = this.#waiting.shift()
      if (!next) break
      const turn = await next.settle(this.#thread.start(next.input, next.options)).catch(() => null)
      await turn?.outcome
    }
    this.#isDraining = false
  }

  #leave(queued: QueuedTurn): boolean {
    const index = this.#waiting.indexOf(queued)
    if (index !== -1) this.#waiting.splice(index, 1)
    return index !== -1
  }
}
