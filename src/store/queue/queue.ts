import type { Change } from '../log/change.ts'

/**
 * Work that has to be done once in the whole fleet: timers of this process on SQLite, pg-boss on PostgreSQL. It only
 * wakes: what is to be done is read from the tables. Nothing fences a worker that runs it, so work must bear being
 * run twice, and a wake-up can be lost with the worker that took it: what must happen in the end also needs an `every`.
 */
export interface Queue {
  /**
   * Runs on one worker in each period of the database's clock, first now; on SQLite now and then every so often. Work
   * that fails is reported and runs again in the next period.
   */
  every(name: string, schedule: Period, work: (signal: AbortSignal) => Promise<void>): Promise<void>
  /** What one worker does when `name` is woken; one key at a time on each worker. To be called once for a name. */
  on(name: string, work: KeyedWork): Promise<void>
  /** Wakes one worker. With `in` it is a part of that change and rejects with it; without, a failure is only reported. */
  wake(name: string, options?: WakeOptions): Promise<void>
  /** Begins nothing more. What takes longer than the deadline has its signal aborted, and is left to another worker. */
  stop(options: { readonly deadlineMs: number }): Promise<void>
}

export type KeyedWork = (key: string | null, signal: AbortSignal) => Promise<void>

export interface Period {
  /** At least a second. */
  readonly everyMs: number
}

export interface WakeOptions {
  /** What the work is about. One wake-up waits for each name, key and time, however often it is asked for. */
  readonly key?: string | undefined
  /** Not before this time. Default: now. */
  readonly at?: number | undefined
  /**
   * Only if this is committed. On PostgreSQL two changes that wake the same name and key at the same time wait for each
   * other: wake last, and in a short change.
   */
  readonly in?: Pick<Change, 'db' | 'after'> | undefined
}

export interface QueueOptions {
  readonly now: () => number
  /** Work failed, or the queue itself did. It goes on. */
  readonly onError: (error: unknown) => void
}
