// Those who follow a task's log: first what is stored, then what comes, without gap or double. The log is the buffer:
// whoever falls behind reads from it again.
import type { Db } from '../db.ts'
import { eventPage } from '../rows/event-rows.ts'
import type { EventRow } from '../schema.ts'
import type { TaskEvent } from '../task-event.ts'
import type { OtherWorkers, SharedLog } from './shared-log.ts'
import type { Gone, TailSink } from './tail.ts'

/** How many committed events wait in memory for one follower before it is sent back to the store. */
const MAX_WAITING = 2_000
const PAGE = { limit: 500, maxBytes: 1024 * 1024 }

export class Followers implements TailSink {
  readonly #reader: Db
  /** null: nobody else stores events. */
  readonly #others: OtherWorkers | null
  readonly #byTask = new Map<string, Set<Follower>>()
  readonly #ofAll = new Set<Follower>()

  constructor(reader: Db, shared?: SharedLog) {
    this.#reader = reader
    this.#others = shared?.bringTo(this) ?? null
  }

  get count(): number {
    let count = this.#ofAll.size
    for (const followers of this.#byTask.values()) count += followers.size
    return count
  }

  /** `known` is asked first; it rejects when there is no such task. */
  async *follow(
    taskId: string,
    { after, signal, known }: { after: number; signal: AbortSignal; known?: () => Promise<unknown> },
  ): AsyncGenerator<TaskEvent, void> {
    await known?.()
    const follower = new Follower(signal)
    this.#join(taskId, follower)
    let seq = after
    try {
      if (this.#others && !(await this.#others.watch(taskId))) return
      while (!follower.isOver) {
        follower.catchUp()
        // Before the store is read: so everything up to there is in it, or gone.
        const pushed = this.#others?.cursor(taskId) ?? 0
        for await (const event of this.#stored(taskId, seq, signal)) {
          yield event
          seq = event.seq
        }
        if (pushed > seq) seq = pushed
        for (;;) {
          const told = await follower.next()
          if (told === null) break
          if (told.seq <= seq) continue
          // Something between is not known here: the store has it.
          if ((told.frame === null ? told.after : told.seq - 1) > seq) break
          if (told.frame !== null) yield told
          seq = told.seq
        }
      }
    } finally {
      this.#leave(taskId, follower)
    }
  }

  /** Our own events of every task, from now on. One that falls behind ends, and its user starts over. */
  async *followAll({ signal }: { signal: AbortSignal }): AsyncGenerator<TaskEvent, void> {
    const follower = new Follower(signal)
    this.#ofAll.add(follower)
    try {
      if (this.#others) await this.#others.watchAll()
      for (;;) {
        const event = await follower.next()
        if (event === null) return
        if (event.frame !== null) yield event
      }
    } finally {
      this.#ofAll.delete(follower)
      if (this.#ofAll.size === 0) this.#others?.unwatchAll()
    }
  }

  /** What has just been committed, in order. */
  publish(rows: readonly EventRow[]): void {
    if (this.#byTask.size === 0 && this.#ofAll.size === 0) return
    for (const row of rows) {
      const followers = this.#followersNow(row)
      const isOwn = this.#ofAll.size > 0 && row.method.startsWith('drawbridge/')
      if (!followers && !isOwn) continue
      const { task_id: taskId, seq, at, method, frame } = row
      const event: TaskEvent = { taskId, seq, at, method, frame }
      if (followers) for (const follower of followers) follower.push(event)
      if (isOwn) for (const follower of this.#ofAll) follower.push(event)
    }
  }

  /** What another worker has stored. */
  push(taskId: string, told: TaskEvent | Gone): void {
    for (const follower of this.#byTask.get(taskId) ?? []) follower.push(told)
  }

  /** One of our own events, of any task, that another worker has stored. */
  pushOwn(event: TaskEvent): void {
    for (const follower of this.#ofAll) follower.push(event)
  }

  /** The feed of other workers has a gap. */
  endAll(): void {
    for (const follower of this.#ofAll) follower.end()
  }

  /** The task is gone. */
  end(taskId: string): void {
    for (const follower of this.#byTask.get(taskId) ?? []) follower.end()
  }

  #followersNow({ task_id: taskId, seq }: EventRow): ReadonlySet<Follower> | undefined {
    const followers = this.#byTask.get(taskId)
    return followers && (this.#others?.isNext(taskId, seq) ?? true) ? followers : undefined
  }

  async *#stored(taskId: string, after: number, signal: AbortSignal): AsyncGenerator<TaskEvent, void> {
    let seq = after
    while (!signal.aborted) {
      const { events, hasMore } = await eventPage(this.#reader, taskId, { after: seq, ...PAGE })
      yield* events
      seq = events.at(-1)?.seq ?? seq
      if (!hasMore) return
    }
  }

  #join(taskId: string, follower: Follower): void {
    const followers = this.#byTask.get(taskId) ?? new Set()
    this.#byTask.set(taskId, followers.add(follower))
  }

  #leave(taskId: string, follower: Follower): void {
    const followers = this.#byTask.get(taskId)
    followers?.delete(follower)
    if (followers?.size !== 0) return
    this.#byTask.delete(taskId)
    this.#others?.unwatch(taskId)
  }
}

class Follower {
  #waiting: (TaskEvent | Gone)[] = []
  #head = 0
  #wake: (() => void) | null = null
  #hasFallenBehind = false
  isOver = false

  constructor(signal: AbortSignal) {
    if (signal.aborted) this.isOver = true
    signal.addEventListener('abort', () => this.end(), { once: true })
  }

  push(told: TaskEvent | Gone): void {
    if (this.#hasFallenBehind || this.isOver) return
    if (this.#waiting.length - this.#head >= MAX_WAITING) {
      this.#hasFallenBehind = true
      this.#clear()
    } else this.#waiting.push(told)
    this.#wake?.()
  }

  end(): void {
    this.isOver = true
    this.#wake?.()
  }

  /** From here on everything is kept again; what came before is to be read from the store. */
  catchUp(): void {
    this.#hasFallenBehind = false
    this.#clear()
  }

  /** null: over, or fallen behind. */
  async next(): Promise<TaskEvent | Gone | null> {
    for (;;) {
      if (this.isOver || this.#hasFallenBehind) return null
      if (this.#head < this.#waiting.length) return this.#take()
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = null
    }
  }

  #take(): TaskEvent | Gone {
    const told = this.#waiting[this.#head++]!
    if (this.#head === this.#waiting.length) this.#clear()
    return told
  }

  #clear(): void {
    this.#waiting = []
    this.#head = 0
  }
}
