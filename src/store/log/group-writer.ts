// Stores one group of changes and events as one transaction. On a shared store the transaction is numbered, and tried
// again for as long as the database does not take it: a commit whose reply was lost is neither lost nor made twice.
import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../util/backoff.ts'
import type { Db } from '../db.ts'
import { isPermanent } from '../postgres/refusal.ts'
import { countCommit, type WorkerStart } from '../rows/worker-rows.ts'
import type { EventRow } from '../schema.ts'
import { StoreError } from '../store-errors.ts'
import {
  NeedsSavepointsError,
  type Noted,
  ownRow,
  type PendingChange,
  runChange,
  type TriedChange,
  tryChange,
} from './change.ts'
import type { EventBuffer } from './event-buffer.ts'

export interface GroupWriterParts {
  readonly db: Db
  readonly now: () => number
  readonly buffer: EventBuffer
  /** null: nobody else writes to this store. */
  readonly worker: WorkerStart | null
  readonly noted: Noted | null
  /** Numbers and inserts events. `isAgain`: an attempt before this one failed. */
  readonly insert: (db: Db, rows: readonly EventRow[], isAgain: boolean) => Promise<Inserted>
}

export interface Inserted {
  readonly rows: readonly EventRow[]
  /** The transaction has committed. */
  readonly apply: () => void
}

/** A group that is stored. */
export interface Written extends Inserted {
  readonly changes: readonly TriedChange[]
}

/** This start was declared lost, or another has begun: it may not write any more. */
export class LeaseLostError extends StoreError {
  constructor() {
    const message =
      'this worker was declared lost by another, and joins again: look at the task before you repeat this'
    super('database-refused', message, { retryable: true })
  }
}

const PERMANENT_TRIES = 3
/** A commit takes milliseconds; one that waits for another worker's, or for a failover, takes seconds. */
const STALLED_MS = 5_000
const RETRY = { baseMs: 20, maxMs: 2_000, random: Math.random }

interface Attempt {
  readonly changes: TriedChange[]
  taken: ReturnType<EventBuffer['take']> | null
  inserted: Inserted | null
}

export class GroupWriter {
  readonly #parts: GroupWriterParts
  readonly #stopped = new AbortController()
  #commits = 0
  #failingSince: number | null = null
  /** When the attempt that runs now began. */
  #begunAt: number | null = null
  /** The pause before the next attempt, and the end of that attempt. */
  #next: { readonly pause: AbortController; readonly ended: PromiseWithResolvers<void> } | null = null

  constructor(parts: GroupWriterParts) {
    this.#parts = parts
  }

  /** Since when the store has not taken what it was given; null when all is well. */
  get failingSince(): number | null {
    if (this.#failingSince !== null || this.#begunAt === null) return this.#failingSince
    // A connection that is cut without a word fails only much later.
    return this.#parts.now() - this.#begunAt > STALLED_MS ? this.#begunAt : null
  }

  /** Tries again now instead of after the pause; resolves when that attempt has ended, well or not. */
  async tryNow(): Promise<void> {
    this.#next?.pause.abort()
    await this.#next?.ended.promise
  }

  /** Gives up on a store that does not answer, also in the middle of an attempt. */
  stop(reason: Error): void {
    this.#stopped.abort(reason)
    this.#attemptEnded()
  }

  /** Rejects with a `LeaseLostError`, or when the store takes it at no time. */
  async write(changes: readonly PendingChange[]): Promise<Written> {
    // Nearly every change goes through. On a store of our own a savepoint costs nothing.
    const progress: Progress = { last: null, refusals: 0, hasSavepoints: this.#parts.worker === null }
    for (let tries = 0; ; tries++) {
      this.#stopped.signal.throwIfAborted()
      try {
        const written = await this.#unlessStopped(this.#attempt(changes, progress, tries))
        this.#commits++
        this.#failingSince = null
        this.#attemptEnded()
        return written
      } catch (error) {
        if (error instanceof NeedsSavepointsError) {
          progress.hasSavepoints = true
          continue
        }
        this.#failingSince ??= this.#begunAt ?? this.#parts.now()
        this.#attemptEnded()
        if (this.#isFinal(error, progress)) throw error
        await this.#pauseFor(backoffMs(tries, RETRY))
      } finally {
        this.#begunAt = null
      }
    }
  }

  #attemptEnded(): void {
    this.#next?.ended.resolve()
    this.#next = null
  }

  async #pauseFor(ms: number): Promise<void> {
    this.#next = { pause: new AbortController(), ended: Promise.withResolvers() }
    const signal = AbortSignal.any([this.#stopped.signal, this.#next.pause.signal])
    await delay(ms, undefined, { signal }).catch(() => {})
  }

  #isFinal(error: unknown, progress: Progress): boolean {
    if (this.#parts.worker === null || error instanceof LeaseLostError) return true
    // Only those in a row: what failed while the database was away says nothing about this.
    progress.refusals = isPermanent(error) ? progress.refusals + 1 : 0
    return progress.refusals >= PERMANENT_TRIES
  }

  /** On a store of our own nothing can hang, and a race would cost every group. */
  #unlessStopped<T>(attempt: Promise<T>): Promise<T> {
    if (this.#parts.worker === null) return attempt
    this.#begunAt = this.#parts.now()
    const { signal } = this.#stopped
    const { promise, reject } = Promise.withResolvers<never>()
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    return Promise.race([attempt, promise]).finally(() => signal.removeEventListener('abort', stop))
  }

  async #attempt(changes: readonly PendingChange[], progress: Progress, tries: number): Promise<Written> {
    const { db, buffer } = this.#parts
    await db.transaction().execute(async (db) => {
      const entered = await this.#enter(db)
      // A number that we never gave was given by another writer under our name.
      if (entered === 'lost' || (entered === 'committed' && progress.last === null))
        throw new LeaseLostError()
      if (entered === 'committed') return
      // Now it is certain that the attempt before this one was not committed.
      if (progress.last?.taken) buffer.putBack(progress.last.taken)
      progress.last = { changes: [], taken: null, inserted: null }
      await this.#fill(db, changes, { ...progress, last: progress.last, isAgain: tries > 0 })
      this.#stopped.signal.throwIfAborted()
    })
    const { changes: tried, inserted } = progress.last!
    return { ...inserted!, changes: tried }
  }

  async #enter(db: Db): ReturnType<typeof countCommit> {
    const { worker } = this.#parts
    return worker === null ? 'open' : countCommit(db, worker, this.#commits + 1)
  }

  async #fill(
    db: Db,
    changes: readonly PendingChange[],
    { last: attempt, hasSavepoints, isAgain }: { last: Attempt; hasSavepoints: boolean; isAgain: boolean },
  ): Promise<void> {
    const { now, noted, buffer, insert, worker } = this.#parts
    const emitted: EventRow[] = []
    for (const change of changes) {
      const tried = hasSavepoints
        ? await tryChange(db, change, { now, noted, isShared: worker !== null })
        : await runChange(db, change, { now, noted })
      attempt.changes.push(tried)
      emitted.push(...tried.events)
    }
    // Only now: everything appended before the changes were made is stored before what they say.
    attempt.taken = buffer.take()
    const { rows, dropped } = attempt.taken
    attempt.inserted = await insert(db, [...rows, ...emitted, ...this.#toldOf(dropped)], isAgain)
  }

  /** Deltas that had to be dropped are told in the log they are missing from. */
  #toldOf(dropped: ReadonlyMap<string, number>): EventRow[] {
    return [...dropped].map(([taskId, count]) =>
      ownRow(
        taskId,
        'drawbridge/incident',
        {
          type: 'deltas-dropped',
          message: `the store could not keep up: ${count} deltas were dropped; their text comes with the completed items`,
        },
        this.#parts.now(),
      ),
    )
  }
}

interface Progress {
  /** The newest attempt that got as far as the changes. */
  last: Attempt | null
  /** How often in a row the database refused it for what it is. */
  refusals: number
  /** Each change can be undone by itself. */
  hasSavepoints: boolean
}
