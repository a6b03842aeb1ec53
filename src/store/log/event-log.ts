// The one writer: every change of the store and every event goes through here, in groups, each one transaction. What
// has been committed is then told to those who follow.
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { itemsWithDeltas, lastSeq } from '../rows/event-rows.ts'
import { insertEvents } from '../rows/insert-events.ts'
import { updateTask } from '../rows/task-rows.ts'
import type { EventRow } from '../schema.ts'
import { type OwnEvents, type OwnMethod, ownFrame } from '../task-event.ts'
import { EventBuffer } from './event-buffer.ts'
import { Followers } from './followers.ts'
import { Head, Numbering } from './numbering.ts'
import { boundedFrame, type WholeFrames } from './whole-frames.ts'

/** One transaction and its effects. */
export interface Change {
  readonly db: Db
  /** When it is made: the same time throughout. */
  readonly now: number
  /** Adds one of our own events to a task's log. */
  readonly emit: <M extends OwnMethod>(taskId: string, method: M, params: OwnEvents[M]) => void
  /** Runs once this is committed, in the order given; never when it is undone. */
  readonly after: (effect: () => void) => void
}

/** What is done in a change. It throws to undo all of it. Effects outside the store belong into `after`. */
export type Work<T> = (change: Change) => Promise<T>

/** What the log needs to know of a notification. */
export interface Received {
  readonly method: string
  readonly raw: string
  readonly turnId: string | null
  readonly itemId: string | null
  readonly isDelta: boolean
}

export interface EventLogParts {
  readonly db: Db
  readonly reader: Db
  readonly now: () => number
  readonly wholeFrames: WholeFrames
  /** A group has been stored. */
  readonly onStored: (eventCount: number) => void
  /** An effect of something stored failed: it could not be told to a follower, say. What is stored stands. */
  readonly onEffectError: (error: unknown) => void
  /** The store refuses: nothing can be promised any more. */
  readonly onBroken: (error: unknown) => void
}

/** How long a delta may wait for others to be stored with it. */
const GROUP_MS = 20

export class EventLog {
  readonly followers: Followers
  readonly #parts: EventLogParts
  /** Of tasks whose events are stored now or were lately. */
  readonly #heads = new Map<string, Head>()
  /** Tasks whose notifications are taken. */
  readonly #open = new Set<string>()
  readonly #buffer = new EventBuffer()
  /** Tasks with events in the transaction that runs now. */
  #storing: ReadonlySet<string> = new Set()
  #changes: PendingChange[] = []
  #timer: NodeJS.Timeout | null = null
  #isFlushing = false
  #isBroken = false

  constructor(parts: EventLogParts) {
    this.#parts = parts
    this.followers = new Followers(parts.reader)
  }

  /** How many events wait to be stored. */
  get backlog(): number {
    return this.#buffer.size
  }

  /** Must be called, and awaited, before the first `append` of a task. */
  async open(taskId: string): Promise<void> {
    if (this.#open.has(taskId)) return
    const { reader } = this.#parts
    const [seq, items] = await Promise.all([lastSeq(reader, taskId), itemsWithDeltas(reader, taskId)])
    const head = this.#heads.get(taskId) ?? new Head(seq)
    this.#heads.set(taskId, head)
    if (this.#open.has(taskId)) return
    this.#open.add(taskId)
    for (const [itemId, first] of items) head.firstDeltas.set(itemId, first)
  }

  /** Takes no more notifications of a task that is not being worked on, and forgets what it kept about it. */
  close(taskId: string): void {
    this.#open.delete(taskId)
    if (!this.#buffer.has(taskId) && !this.#storing.has(taskId)) this.#heads.delete(taskId)
  }

  /** One notification of codex. On the reader: no waiting, no work that can be put off. */
  append(taskId: string, { method, raw, turnId, itemId, isDelta }: Received): void {
    if (this.#isBroken || !this.#open.has(taskId)) return
    this.#buffer.add({
      task_id: taskId,
      seq: 0,
      at: this.#parts.now(),
      method,
      turn_id: turnId,
      item_id: itemId,
      is_delta: isDelta ? 1 : 0,
      frame: raw,
    })
    this.#flushIn(isDelta ? GROUP_MS : 0)
  }

  /** Makes a change. When this resolves it is on disk, with its events and all that came before; its effects have run. */
  change<T>(work: Work<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#changes.push({ work, resolve: resolve as (value: unknown) => void, reject })
    this.#flushIn(0)
    return promise
  }

  /** Resolves when everything appended so far is on disk. */
  async flushed(): Promise<void> {
    await this.change(async () => {})
  }

  #flushIn(ms: number): void {
    if (this.#isFlushing) return
    if (ms > 0) {
      this.#timer ??= setTimeout(() => void this.#flush(), ms)
      return
    }
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#isFlushing = true
    // Batch everything from this tick into one transaction.
    setImmediate(() => void this.#flush())
  }

  async #flush(): Promise<void> {
    this.#isFlushing = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    while (this.#changes.length > 0 || this.#buffer.size > 0) {
      const changes = this.#changes
      this.#changes = []
      await this.#commit(changes)
    }
    this.#isFlushing = false
  }

  async #commit(changes: readonly PendingChange[]): Promise<void> {
    const settled: (() => void)[] = []
    let stored: Stored
    try {
      stored = await this.#parts.db.transaction().execute(async (db) => {
        const emitted: EventRow[] = []
        for (const change of changes) settled.push(await this.#try(db, change, emitted))
        // Only now: everything appended before the changes were made is stored before what they say.
        const { rows, dropped } = this.#buffer.take()
        for (const row of emitted) rows.push(row)
        return this.#store(db, [...rows, ...this.#toldOf(dropped)])
      })
    } catch (error) {
      for (const { reject } of changes) reject(error)
      return this.#break(error)
    }
    stored.numbering.apply()
    this.#storing = new Set()
    for (const settle of settled) settle()
    this.#publish(stored.rows)
  }

  #publish(stored: readonly EventRow[]): void {
    this.#run(() => this.followers.publish(stored))
    this.#run(() => this.#parts.onStored(stored.length))
  }

  /** What has been stored stands, whatever goes wrong after it. */
  #run(effect: () => void): void {
    try {
      effect()
    } catch (error) {
      this.#parts.onEffectError(error)
    }
  }

  /** A change that fails takes nothing with it but itself. */
  async #try(db: Db, { work, resolve, reject }: PendingChange, emitted: EventRow[]): Promise<() => void> {
    const own: EventRow[] = []
    const effects: (() => void)[] = []
    await sql`savepoint change`.execute(db)
    try {
      const value = await work({
        db,
        now: this.#parts.now(),
        emit: (taskId, method, params) => void own.push(this.#ownRow(taskId, method, params)),
        after: (effect) => void effects.push(effect),
      })
      await sql`release savepoint change`.execute(db)
      emitted.push(...own)
      return () => {
        for (const effect of effects) this.#run(effect)
        resolve(value)
      }
    } catch (error) {
      await sql`rollback to savepoint change`.execute(db)
      await sql`release savepoint change`.execute(db)
      return () => reject(error)
    }
  }

  #ownRow<M extends OwnMethod>(taskId: string, method: M, params: OwnEvents[M]): EventRow {
    return {
      task_id: taskId,
      seq: 0,
      at: this.#parts.now(),
      method,
      turn_id: null,
      item_id: null,
      is_delta: 0,
      frame: ownFrame(method, params),
    }
  }

  /** Deltas that had to be dropped are told in the log they are missing from. */
  #toldOf(dropped: ReadonlyMap<string, number>): EventRow[] {
    return [...dropped].map(([taskId, count]) =>
      this.#ownRow(taskId, 'drawbridge/incident', {
        type: 'deltas-dropped',
        message: `the store could not keep up: ${count} deltas were dropped; their text comes with the completed items`,
      }),
    )
  }

  async #store(db: Db, rows: readonly EventRow[]): Promise<Stored> {
    this.#storing = new Set(rows.map(({ task_id }) => task_id))
    for (const taskId of this.#storing) {
      if (this.#heads.has(taskId)) continue
      const seq = await lastSeq(db, taskId)
      // `open` may have made one meanwhile, which knows more.
      if (!this.#heads.has(taskId)) this.#heads.set(taskId, new Head(seq))
    }
    const numbering = new Numbering(this.#heads)
    const numbered = await numbering.number(db, rows)
    for (const row of numbered) row.frame = await boundedFrame(db, row, this.#parts.wholeFrames)
    await insertEvents(db, numbered)
    for (const [taskId, { seq }] of numbering.newest) await updateTask(db, taskId, { last_seq: seq })
    return { rows: numbered, numbering }
  }

  #break(error: unknown): void {
    this.#isBroken = true
    this.#buffer.clear()
    for (const { reject } of this.#changes.splice(0)) reject(error)
    this.#parts.onBroken(error)
  }
}

interface PendingChange {
  readonly work: Work<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Stored {
  readonly rows: readonly EventRow[]
  readonly numbering: Numbering
}
