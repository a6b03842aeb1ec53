// The one writer: every change of the store and every event goes through here, in groups, each one transaction. What
// has been committed is then told to those who follow.
import type { Db } from '../db.ts'
import { itemsWithDeltas, lastSeq } from '../rows/event-rows.ts'
import { appendEvents } from '../rows/insert-events.ts'
import { lockTask } from '../rows/task-rows.ts'
import type { WorkerStart } from '../rows/worker-rows.ts'
import type { EventRow } from '../schema.ts'
import type { Noted, PendingChange, Work } from './change.ts'
import { EventBuffer } from './event-buffer.ts'
import { Followers } from './followers.ts'
import { GroupWriter, type Inserted, LeaseLostError, type Written } from './group-writer.ts'
import { Head, Numbering } from './numbering.ts'
import type { SharedLog } from './shared-log.ts'
import { boundedFrames, type WholeFrames } from './whole-frames.ts'

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
  /** On a shared store: who writes. Its transactions are tried again until the database takes them. */
  readonly worker?: WorkerStart | null
  /** On a shared store: this start may not write any more. The log is of no use from here on. */
  readonly onLost?: () => void
  /** On a store that other workers use too. */
  readonly shared?: SharedLog | undefined
  /** Those of an earlier log, which this one takes the place of. */
  readonly followers?: Followers
  /** Hears of some events of ours, in the change that emits them. */
  readonly noted?: Noted
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
  readonly #writer: GroupWriter
  /** Tasks with events in the transaction that runs now. */
  #storing: ReadonlySet<string> = new Set()
  #changes: PendingChange[] = []
  #timer: NodeJS.Timeout | null = null
  #isFlushing = false
  #isBroken = false
  /** Why nothing can be written any more. */
  #endedBy: Error | null = null

  constructor(parts: EventLogParts) {
    this.#parts = parts
    this.followers = parts.followers ?? new Followers(parts.reader, parts.shared)
    this.#writer = new GroupWriter({
      ...{ db: parts.db, now: parts.now, buffer: this.#buffer, worker: parts.worker ?? null },
      noted: parts.noted ?? null,
      insert: (db, rows, isAgain) => this.#insert(db, rows, isAgain),
    })
  }

  /** How many events wait to be stored. */
  get backlog(): number {
    return this.#buffer.size
  }

  /** Since when the store has not taken what it was given; null when all is well. */
  get failingSince(): number | null {
    return this.#writer.failingSince
  }

  /** While it fails: tries again at once instead of after a pause. Resolves when that attempt has ended, well or not. */
  tryNow(): Promise<void> {
    return this.#writer.tryNow()
  }

  /** Must be called, and awaited, before the first `append` of a task. */
  async open(taskId: string): Promise<void> {
    if (this.#open.has(taskId)) return
    const { reader, worker } = this.#parts
    if (!worker) return this.#opened(taskId, await endOf(reader, taskId))
    // As a change it waits for a database that is away, and nobody writes between the look and the opening.
    await this.change(async ({ db, after }) => {
      const end = await endOf(db, taskId)
      after(() => this.#opened(taskId, end))
    })
  }

  #opened(taskId: string, { seq, items }: LogEnd): void {
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
    if (this.#endedBy) return Promise.reject(this.#endedBy)
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
    let written: Written
    try {
      written = await this.#writer.write(changes)
    } catch (error) {
      for (const { reject } of changes) reject(error)
      return this.#break(error)
    }
    written.apply()
    this.#storing = new Set()
    for (const { settle } of written.changes) settle((effect) => this.#run(effect))
    if (this.#parts.worker) this.#forgetForeign()
    this.#publish(written.rows)
  }

  #publish(stored: readonly EventRow[]): void {
    this.#run(() => this.followers.publish(stored))
    this.#run(() => this.#parts.shared?.tell(stored))
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

  async #insert(db: Db, rows: readonly EventRow[], isAgain: boolean): Promise<Inserted> {
    this.#storing = new Set(rows.map(({ task_id }) => task_id))
    for (const taskId of this.#storing)
      if (isAgain || !this.#heads.has(taskId)) await this.#readHead(db, taskId, isAgain)
    const numbering = new Numbering(this.#heads)
    const numbered = await boundedFrames(db, await numbering.number(db, rows), this.#parts.wholeFrames)
    await appendEvents(db, numbered)
    if (this.#parts.shared) await this.#parts.shared.store(db, numbered)
    return { rows: numbered, apply: () => numbering.apply() }
  }

  async #readHead(db: Db, taskId: string, isAgain: boolean): Promise<void> {
    // Two workers that say something of the same task, which neither has open, must not take the same number.
    if (this.#parts.worker) await lockTask(db, taskId)
    const seq = await lastSeq(db, taskId)
    // `open` may have made one meanwhile, which knows more.
    const head = this.#heads.get(taskId)
    if (head) head.seq = isAgain ? seq : head.seq
    else this.#heads.set(taskId, new Head(seq))
  }

  /** The log of a task that is not open here may be written to by another worker. */
  #forgetForeign(): void {
    for (const taskId of this.#heads.keys())
      if (!this.#open.has(taskId) && !this.#buffer.has(taskId)) this.#heads.delete(taskId)
  }

  /** Gives up on a store that does not answer: what it has not taken is not stored, and every change rejects. */
  abandon(reason: Error): void {
    if (this.#endedBy) return
    this.#writer.stop(reason)
    this.#end(reason)
  }

  #break(error: unknown): void {
    // An abandoned log has told so already.
    if (this.#endedBy) return
    if (error instanceof LeaseLostError) {
      this.#end(error)
      this.#parts.onLost?.()
      return
    }
    this.#refuse(error)
    this.#parts.onBroken(error)
  }

  #end(reason: Error): void {
    this.#endedBy = reason
    this.#refuse(reason)
  }

  #refuse(error: unknown): void {
    this.#isBroken = true
    this.#buffer.clear()
    for (const { reject } of this.#changes.splice(0)) reject(error)
  }
}

/** Where a task's log ends, and the items in it that have deltas. */
interface LogEnd {
  readonly seq: number
  readonly items: ReadonlyMap<string, number>
}

async function endOf(db: Db, taskId: string): Promise<LogEnd> {
  const [seq, items] = await Promise.all([lastSeq(db, taskId), itemsWithDeltas(db, taskId)])
  return { seq, items }
}
