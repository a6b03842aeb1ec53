// This start of this worker, as the others know it: its row, its beats, and the database's clock.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { VERSION } from '../../codex/index.ts'
import {
  beatWorker,
  bootIn,
  type Db,
  readDatabaseTime,
  registerWorker,
  stopWorker,
  type WorkerFacts,
  type WorkerStart,
} from '../../store/index.ts'
import { makeSealKey } from '../../util/sealed-box.ts'
import { refuseBeating } from './copied-folder.ts'
import type { FleetOptions } from './fleet-options.ts'

export interface MembershipOptions {
  readonly db: Db
  readonly fleet: FleetOptions
  readonly capacity: number
  /** This machine's clock. */
  readonly now: () => number
  /** Turns that work now. */
  readonly working: () => number
  /** It was declared lost. Called once. */
  readonly onLost: () => void
  readonly onBeatFailed: (error: unknown) => void
}

/** Beats in the time of a lease: two may be missed. */
const BEATS = 3

export class Membership {
  readonly start: WorkerStart
  readonly #options: MembershipOptions
  readonly #key = makeSealKey()
  readonly #over = new AbortController()
  #offsetMs = 0
  #isDraining = false
  #lastBeatAt = Number.NEGATIVE_INFINITY
  /** Since when no beat was missed. On a clock that only goes forward, as `#lastBeatAt`. */
  #steadySince = 0
  #isFailing = false

  constructor(options: MembershipOptions) {
    this.#options = options
    const { id, place } = options.fleet
    this.start = { id, boot: bootIn(place, randomUUID()) }
  }

  /** A person wants it to take no new tasks. */
  get isDraining(): boolean {
    return this.#isDraining
  }

  /** The database's clock, as well as it is known: those of machines need not agree. */
  readonly now = (): number => Math.round(this.#options.now() + this.#offsetMs)

  /**
   * Whether it has been heard of without a gap for the time of a lease. Only then may it judge the others: after an outage
   * of the database the first to be back would find all of them silent.
   */
  get isSteady(): boolean {
    const { leaseMs } = this.#options.fleet
    const isNow = performance.now() - this.#lastBeatAt < this.#gapMs
    return isNow && this.#lastBeatAt - this.#steadySince >= leaseMs
  }

  get #gapMs(): number {
    return (2 * this.#options.fleet.leaseMs) / BEATS
  }

  /** What others sealed for this start. */
  open(sealed: string): string {
    return this.#key.open(sealed)
  }

  /** From here on the others count on it. Rejects when another service uses its id: `worker-id-in-use`. */
  async join(): Promise<void> {
    const { db, fleet, capacity } = this.#options
    const { name, machine, labels, leaseMs } = fleet
    const facts: WorkerFacts = {
      ...this.start,
      ...{ name, machine, labels, capacity, version: VERSION },
      url: fleet.url(),
      public_key: this.#key.publicKey,
    }
    for (let over: string | undefined; ; ) {
      const other = await registerWorker(db, facts, { leaseMs, over })
      if (!other) break
      // A machine that crashed and was started again is silent. One that beats runs beside us.
      await refuseBeating(other, { db, signal: this.#over.signal })
      over = other.boot
    }
    await this.#setClock(() => readDatabaseTime(db))
    this.#noteBeat()
    void this.#beat()
  }

  /** The end of this start: its tasks have no owner until the next. */
  async leave(): Promise<void> {
    this.#over.abort()
    const { db } = this.#options
    await db.transaction().execute((trx) => stopWorker(trx, this.start))
  }

  /** Beats no more; the row stays as it is. */
  stop(): void {
    this.#over.abort()
  }

  async #beat(): Promise<void> {
    const { db, fleet, working, onLost, onBeatFailed } = this.#options
    const { signal } = this.#over
    for (;;) {
      await delay(fleet.leaseMs / BEATS, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      try {
        const url = fleet.url()
        const row = await beatWorker(db, this.start, { leaseMs: fleet.leaseMs, working: working(), url })
        if (signal.aborted) return
        if (!row) return onLost()
        this.#isDraining = row.state === 'draining'
        this.#noteBeat()
        await this.#setClock(() => readDatabaseTime(db))
      } catch (error) {
        if (!signal.aborted && !this.#isFailing) onBeatFailed(error)
        this.#isFailing = true
      }
    }
  }

  #noteBeat(): void {
    const at = performance.now()
    if (at - this.#lastBeatAt > this.#gapMs) this.#steadySince = at
    this.#lastBeatAt = at
    this.#isFailing = false
  }

  /** The answer is as old as its way back took. */
  async #setClock(read: () => Promise<number>): Promise<void> {
    const { now } = this.#options
    const asked = now()
    const at = await read()
    this.#offsetMs = at - (asked + now()) / 2
  }
}
