// How many turns work at once, and who is next: first come, first served, whoever asks. A task that waits for a person
// does not count.

import { LONGEST_TIMER_MS } from '../../util/longest-timer.ts'

export interface SchedulerOptions {
  readonly maxWorking: number
  readonly now: () => number
  /** An account is held, or no longer: null. */
  readonly onHold?: (account: string, hold: Hold | null) => void
  /** A place is free, and nobody here waited for it. */
  readonly onRoom?: () => void
}

/** Nobody of an account begins before then, for this reason. */
export interface Hold {
  readonly until: number
  readonly why: string
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
  readonly #holds = new Map<string, Hold>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #working = 0
  #isStopped = false

  constructor(options: SchedulerOptions) {
    this.#options = options
  }

  get working(): number {
    return this.#working
  }

  /** Whether the next one could begin at once. */
  get hasRoom(): boolean {
    return !this.#isStopped && this.#working < this.#options.maxWorking
  }

  /** How many more could begin now, besides those that wait already. */
  get room(): number {
    if (this.#isStopped) return 0
    const waiting = this.#waiting.filter(({ account }) => this.holdOf(account) === null).length
    return this.#options.maxWorking - this.#working - waiting
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

  /** The hold that lasts longest counts. */
  hold(account: string, hold: Hold): void {
    if (hold.until <= (this.holdOf(account)?.until ?? 0)) return
    this.#holds.set(account, hold)
    this.#options.onHold?.(account, hold)
    this.#lookAt(account)
  }

  /** Somebody knows better: its tasks may begin. */
  release(account: string): void {
    if (!this.#holds.delete(account)) return
    clearTimeout(this.#timers.get(account))
    this.#timers.delete(account)
    this.#options.onHold?.(account, null)
    this.#admit()
  }

  /** null when nothing holds it. */
  holdOf(account: string): Hold | null {
    const hold = this.#holds.get(account)
    return hold && hold.until > this.#options.now() ? hold : null
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
    const hold = this.holdOf(account)
    if (hold === null) return this.release(account)
    const waitMs = Math.min(hold.until - this.#options.now(), LONGEST_TIMER_MS)
    this.#timers.set(account, setTimeout(() => this.#lookAt(account), waitMs).unref())
  }

  #admit(): void {
    while (!this.#isStopped && this.#working < this.#options.maxWorking) {
      const index = this.#waiting.findIndex(({ account }) => this.holdOf(account) === null)
      if (index === -1) return
      const [next] = this.#waiting.splice(index, 1)
      this.#working++
      next!.enter(new Slot((by) => this.#change(by)))
    }
  }

  #change(by: number): void {
    this.#working += by
    if (by >= 0) return
    this.#admit()
    if (this.room > 0) this.#options.onRoom?.()
  }
}
