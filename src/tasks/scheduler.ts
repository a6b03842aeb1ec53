// How many turns work at once, and who is next: first come, first served, whoever asks. A task that waits for a person
// does not count.

import { LONGEST_TIMER_MS } from '../util/longest-timer.ts'

export interface SchedulerOptions {
  readonly maxWorking: number
  readonly now: () => number
}

interface Waiting {
  /** Tasks of one account are held together while its limit lasts. */
  readonly account: string
  readonly enter: (slot: Slot) => void
}

/** Leave to work. */
export class Slot {
  readonly #onChange: (by: number) => void
  #counts: 0 | 1 = 1
  #isOver = false

  constructor(onChange: (by: number) => void) {
    this.#onChange = onChange
  }

  /** While a person is waited for the place is somebody else's; the work goes on as soon as there is an answer. */
  set isPaused(isPaused: boolean) {
    const counts = isPaused ? 0 : 1
    if (this.#isOver || counts === this.#counts) return
    this.#counts = counts
    this.#onChange(isPaused ? -1 : 1)
  }

  leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#counts === 1) this.#onChange(-1)
  }
}

export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #waiting: Waiting[] = []
  readonly #heldUntil = new Map<string, number>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #working = 0
  #isStopped = false

  constructor(options: SchedulerOptions) {
    this.#options = options
  }

  get working(): number {
    return this.#working
  }

  /** Waits for a place; aborting leaves the queue. */
  enter({ account, signal }: { account: string; signal: AbortSignal }): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    if (signal.aborted) return Promise.reject(signal.reason)
    const waiting: Waiting = { account, enter: resolve }
    this.#waiting.push(waiting)
    const onAbort = () => {
      const index = this.#waiting.indexOf(waiting)
      if (index !== -1) this.#waiting.splice(index, 1)
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    void promise.then(
      () => signal.removeEventListener('abort', onAbort),
      () => {},
    )
    this.#admit()
    return promise
  }

  /** A place for what works already, whether there is one or not. */
  occupy(): Slot {
    this.#working++
    return new Slot((by) => this.#change(by))
  }

  /** Nobody of this account begins before then. */
  hold(account: string, until: number): void {
    this.#heldUntil.set(account, Math.max(until, this.#heldUntil.get(account) ?? 0))
    this.#lookAt(account)
  }

  heldUntil(account: string): number | null {
    const until = this.#heldUntil.get(account) ?? 0
    return until > this.#options.now() ? until : null
  }

  /** Nobody begins any more. */
  stop(): void {
    this.#isStopped = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }

  /** Lets its tasks begin when their time has come. A timer can be early, and cannot be as long as one likes. */
  #lookAt(account: string): void {
    clearTimeout(this.#timers.get(account))
    this.#timers.delete(account)
    const until = this.heldUntil(account)
    if (until === null) return this.#admit()
    const waitMs = Math.min(until - this.#options.now(), LONGEST_TIMER_MS)
    this.#timers.set(account, setTimeout(() => this.#lookAt(account), waitMs).unref())
  }

  #admit(): void {
    while (!this.#isStopped && this.#working < this.#options.maxWorking) {
      const index = this.#waiting.findIndex(({ account }) => this.heldUntil(account) === null)
      if (index === -1) return
      const [next] = this.#waiting.splice(index, 1)
      this.#working++
      next!.enter(new Slot((by) => this.#change(by)))
    }
  }

  #change(by: number): void {
    this.#working += by
    if (by < 0) this.#admit()
  }
}
