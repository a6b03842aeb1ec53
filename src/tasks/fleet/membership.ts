// This start of this worker, as the others know it: its row, its beats, and the database's clock.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { VERSION } from '../../codex/index.ts'
import {
  beatWorker,
  type Db,
  readDatabaseTime,
  registerWorker,
  stopWorker,
  type WorkerFacts,
  type WorkerStart,
} from '../../store/index.ts'
import { makeSealKey } from '../../util/sealed-box.ts'
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
  /** Since when every beat was answered in time; null: the last one was not. */
  #steadySince: number | null = null
  #isDraining = false

  constructor(options: MembershipOptions) {
    this.#options = options
    this.start = { id: options.fleet.id, boot: randomUUID() }
  }

  /** A person wants it to take no new tasks. */
  get isDraining(): boolean {
    return this.#isDraining
  }

  /** The database's clock, as well as it is known: those of machines need not agree. */
  readonly now = (): number => Math.round(this.#options.now() + this.#offsetMs)

  /**
   * Whether a worker that is not heard of is gone. While the database was away nobody could beat, and those who come back
   * first must give the others the time to.
   */
  get canTellLost(): boolean {
    return this.#steadySince !== null && performance.now() - this.#steadySince > this.#options.fleet.leaseMs
  }

  /** What others sealed for this start. */
  open(sealed: string): string {
    return this.#key.open(sealed)
  }

  /** From here on the others count on it. */
  async join(): Promise<void> {
    const { db, fleet, capacity } = this.#options
    const { name, machine, labels, leaseMs } = fleet
    const facts: WorkerFacts = {
      ...this.start,
      ...{ name, machine, labels, capacity, version: VERSION },
      url: fleet.url(),
      public_key: this.#key.publicKey,
    }
    await registerWorker(db, facts, { leaseMs })
    this.#steadySince = performance.now()
    await this.#setClock(() => readDatabaseTime(db))
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
      const begunAt = performance.now()
      try {
        const url = fleet.url()
        const row = await beatWorker(db, this.start, { leaseMs: fleet.leaseMs, working: working(), url })
        if (signal.aborted) return
        if (!row) return onLost()
        this.#isDraining = row.state === 'draining'
        const now = performance.now()
        this.#steadySince = now - begunAt > fleet.leaseMs / BEATS ? now : (this.#steadySince ?? now)
        await this.#setClock(() => readDatabaseTime(db))
      } catch (error) {
        this.#steadySince = null
        if (!signal.aborted) onBeatFailed(error)
      }
    }
  }

  /** The answer is as old as its way back took. */
  async #setClock(read: () => Promise<number>): Promise<void> {
    const { now } = this.#options
    const asked = now()
    const at = await read()
    this.#offsetMs = at - (asked + now()) / 2
  }
}
