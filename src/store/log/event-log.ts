// The one writer: every change of the store and every event goes through here, in groups, each one transaction. What
// has been committed is then told to those who follow.
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { deleteDeltas, itemsWithDeltas, lastSeq } from '../rows/event-rows.ts'
import { insertEvents } from '../rows/insert-events.ts'
import { updateTask } from '../rows/task-rows.ts'
import type { EventRow } from '../schema.ts'
import { Followers } from './followers.ts'
import { type OwnEvents, type OwnMethod, ownFrame } from './task-event.ts'
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
/** A store that cannot keep up costs deltas, never memory without end; their text comes with `item/completed`. */
const MAX_BUFFERED_DELTAS = 50_000

export class EventLog {
  readonly followers: Followers
  readonly #parts: EventLogParts
  readonly #heads = new Map<string, Head>()
  #buffer: EventRow[] = []
  #changes: PendingChange[] = []
  /** Items that completed since the last group was stored, and had deltas. */
  #superseded: Superseded[] = []
  #timer: NodeJS.Timeout | null = null
  #isFlushing = false
  #deltasBuffered = 0
  #isBroken = false

  constructor(parts: EventLogParts) {
    this.#parts = parts
    this.followers = new Followers(parts.reader)
  }

  /** How many events wait to be stored. */
  get backlog(): number {
    return this.#buffer.length
  }

  /** Must be called, and awaited, before the first `append` of a task. */
  async open(taskId: string): Promise<void> {
    if (this.#heads.get(taskId)?.isOpen) return
    const { reader } = this.#parts
    const [seq, items] = await Promise.all([lastSeq(reader, taskId), itemsWithDeltas(reader, taskId)])
    const head = this.#heads.get(taskId) ?? new Head(seq)
    this.#heads.set(taskId, head)
    if (!head.isOpen) head.open(items)
  }

  /** Lets go of what is kept about a task that is not being worked on. */
  close(taskId: string): void {
    if (!this.#buffer.some(({ task_id }) => task_id === taskId)) this.#heads.delete(taskId)
  }

  /** One notification of codex. On the reader: no waiting, no work that can be put off. */
  append(taskId: string, received: Received): void {
    const head = this.#heads.get(taskId)
    if (!head?.isOpen || this.#isBroken) return
    const { method, itemId, isDelta } = received
    if (isDelta) {
      if (this.#deltasBuffered >= MAX_BUFFERED_DELTAS) return
      this.#deltasBuffered++
      if (itemId !== null && !head.firstDeltas.has(itemId)) head.firstDeltas.set(itemId, head.seq + 1)
    } else if (method === 'item/completed' && itemId !== null) {
      const fromSeq = head.firstDeltas.get(itemId)
      if (fromSeq !== undefined) this.#superseded.push({ taskId, itemId, fromSeq })
      head.firstDeltas.delete(itemId)
    }
    this.#buffer.push({
      task_id: taskId,
      seq: ++head.seq,
      at: this.#parts.now(),
      method,
      turn_id: received.turnId,
      item_id: itemId,
      is_delta: isDelta ? 1 : 0,
      frame: received.raw,
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
    // What comes in the same breath goes in the same group.
    setImmediate(() => void this.#flush())
  }

  async #flush(): Promise<void> {
    this.#isFlushing = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    while (this.#changes.length > 0 || this.#buffer.length > 0) {
      const changes = this.#changes
      this.#changes = []
      await this.#commit(changes)
    }
    this.#isFlushing = false
  }

  async #commit(changes: readonly PendingChange[]): Promise<void> {
    const settled: (() => void)[] = []
    let stored: EventRow[]
    try {
      stored = await this.#parts.db.transaction().execute(async (db) => {
        for (const change of changes) settled.push(await this.#try(db, change))
        return this.#store(db)
      })
    } catch (error) {
      for (const { reject } of changes) reject(error)
      return this.#break(error)
    }
    for (const settle of settled) settle()
    this.#publish(stored)
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
  async #try(db: Db, { work, resolve, reject }: PendingChange): Promise<() => void> {
    const emitted: { taskId: string; method: OwnMethod; frame: string }[] = []
    const effects: (() => void)[] = []
    await sql`savepoint change`.execute(db)
    try {
      const value = await work({
        db,
        now: this.#parts.now(),
        emit: (taskId, method, params) =>
          void emitted.push({ taskId, method, frame: ownFrame(method, params) }),
        after: (effect) => void effects.push(effect),
      })
      await sql`release savepoint change`.execute(db)
      for (const { taskId, method, frame } of emitted) await this.#add(db, taskId, { method, frame })
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

  async #add(db: Db, taskId: string, { method, frame }: { method: string; frame: string }): Promise<void> {
    const head = this.#heads.get(taskId) ?? (await this.#newHead(db, taskId))
    this.#buffer.push({
      task_id: taskId,
      seq: ++head.seq,
      at: this.#parts.now(),
      method,
      turn_id: null,
      item_id: null,
      is_delta: 0,
      frame,
    })
  }

  async #newHead(db: Db, taskId: string): Promise<Head> {
    const seq = await lastSeq(db, taskId)
    // Somebody may have opened it meanwhile.
    const head = this.#heads.get(taskId) ?? new Head(seq)
    this.#heads.set(taskId, head)
    return head
  }

  /** Everything buffered until now, in the transaction of the changes it may belong to. */
  async #store(db: Db): Promise<EventRow[]> {
    const rows = withoutDeltasOf(this.#superseded, this.#buffer)
    const superseded = this.#superseded
    this.#buffer = []
    this.#superseded = []
    this.#deltasBuffered = 0
    for (const { taskId, ...item } of superseded) await deleteDeltas(db, taskId, item)
    for (const row of rows) row.frame = await boundedFrame(row, this.#parts.wholeFrames)
    await insertEvents(db, rows)
    for (const [taskId, seq] of newest(rows)) await updateTask(db, taskId, { last_seq: seq })
    return rows
  }

  #break(error: unknown): void {
    this.#isBroken = true
    this.#buffer = []
    for (const { reject } of this.#changes.splice(0)) reject(error)
    this.#parts.onBroken(error)
  }
}

interface PendingChange {
  readonly work: Work<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** An item that completed since the last group was stored, and where its deltas begin. */
interface Superseded {
  readonly taskId: string
  readonly itemId: string
  readonly fromSeq: number
}

/** The end of one task's log. */
class Head {
  seq: number
  isOpen = false
  /** Of each item that has not completed: the sequence of its first delta. */
  readonly firstDeltas = new Map<string, number>()

  constructor(seq: number) {
    this.seq = seq
  }

  open(firstDeltas: ReadonlyMap<string, number>): void {
    this.isOpen = true
    for (const [itemId, seq] of firstDeltas) this.firstDeltas.set(itemId, seq)
  }
}

function withoutDeltasOf(superseded: readonly Superseded[], rows: EventRow[]): EventRow[] {
  if (superseded.length === 0) return rows
  const completed = new Set(superseded.map(({ taskId, itemId }) => `${taskId} ${itemId}`))
  return rows.filter(
    ({ is_delta, task_id, item_id }) => !(is_delta && completed.has(`${task_id} ${item_id}`)),
  )
}

function newest(rows: readonly EventRow[]): Map<string, number> {
  const heads = new Map<string, number>()
  for (const { task_id, seq } of rows) heads.set(task_id, seq)
  return heads
}
