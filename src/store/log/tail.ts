// Brings events that other workers store to the followers here: one reader for each followed task, however many follow.
//
// `cursor` is how far a task's events have been pushed to its followers. It moves only over what is pushed, from here or
// by our own log, and our own log's events are pushed only if they come next. So what followers get is in order and has
// no gap, whoever stores the task's events and however often that changes: the next event of a task is always in the
// store by the time anybody knows of a later one.
import type { Db } from '../db.ts'
import { eventsAfter, lastSeqs } from '../rows/event-rows.ts'
import type { TaskEvent } from '../task-event.ts'

/** Sequences above `after` and up to `seq` that no longer have an event. */
export interface Gone {
  readonly frame: null
  readonly after: number
  readonly seq: number
}

export interface TailSink {
  push(taskId: string, told: TaskEvent | Gone): void
  /** The task is gone. */
  end(taskId: string): void
}

/** Small enough for a follower's queue, whatever is in it. */
const PAGE = { limit: 500, maxBytes: 1024 * 1024 }
/** Of the pool's connections, which are there for others too. */
const MAX_READS = 3

export class Tail {
  readonly #db: Db
  readonly #sink: TailSink
  readonly #tasks = new Map<string, Watched>()
  /** Tasks with something to read, in the order of asking. */
  readonly #due = new Set<string>()
  #reads = 0

  constructor({ db, sink }: { db: Db; sink: TailSink }) {
    this.#db = db
    this.#sink = sink
  }

  /** From here on its events are pushed. False: there is no such task. Once for all followers of a task. */
  watch(taskId: string): Promise<boolean> {
    const task = this.#tasks.get(taskId) ?? new Watched()
    this.#tasks.set(taskId, task)
    task.opened ??= this.#open(taskId, task)
    return task.opened
  }

  unwatch(taskId: string): void {
    this.#tasks.delete(taskId)
    this.#due.delete(taskId)
  }

  /** Everything up to here is in the store, and everything after it is or will be pushed. */
  cursor(taskId: string): number {
    return this.#tasks.get(taskId)?.cursor ?? 0
  }

  /** Our own log has stored this. False: it was pushed already, or will be after what others have stored before it. */
  isNext(taskId: string, seq: number): boolean {
    const task = this.#tasks.get(taskId)
    // Its followers have not begun to read: they find it in the store.
    if (!task || task.cursor === null) return true
    if (seq > task.cursor + 1) this.hear(taskId, seq)
    if (seq !== task.cursor + 1) return false
    task.cursor = seq
    return true
  }

  /** The task is said to have events up to this one. */
  hear(taskId: string, seq: number): void {
    const task = this.#tasks.get(taskId)
    if (!task || seq <= task.heard) return
    task.heard = seq
    this.#readSoon(taskId, task)
  }

  /** Looks for what was not heard of. One query for all tasks. */
  async poll(): Promise<void> {
    const polled = [...this.#tasks]
    if (polled.length === 0) return
    const stored = await lastSeqs(
      this.#db,
      polled.map(([taskId]) => taskId),
    )
    for (const [taskId, task] of polled) {
      if (this.#tasks.get(taskId) !== task || task.cursor === null) continue
      const seq = stored.get(taskId)
      if (seq === undefined) this.#sink.end(taskId)
      else {
        task.stored = Math.max(task.stored, seq)
        task.heard = Math.max(task.heard, seq)
        this.#readSoon(taskId, task)
      }
    }
  }

  async #open(taskId: string, task: Watched): Promise<boolean> {
    try {
      const seq = (await lastSeqs(this.#db, [taskId])).get(taskId)
      if (seq === undefined) return false
      task.cursor = seq
      this.#readSoon(taskId, task)
      return true
    } finally {
      // Whoever comes after a failure asks again.
      if (task.cursor === null) task.opened = null
    }
  }

  #readSoon(taskId: string, { cursor, heard, isReading }: Watched): void {
    if (cursor === null || heard <= cursor || isReading) return
    this.#due.add(taskId)
    this.#readDue()
  }

  #readDue(): void {
    for (const taskId of this.#due) {
      if (this.#reads >= MAX_READS) return
      this.#due.delete(taskId)
      void this.#read(taskId, this.#tasks.get(taskId)!)
    }
  }

  /** One page. A task with more of them is due again, after the others. */
  async #read(taskId: string, task: Watched): Promise<void> {
    const { stored, heard } = task
    this.#reads++
    task.isReading = true
    const events = await eventsAfter(this.#db, taskId, { after: task.cursor!, ...PAGE }).catch(() => null)
    this.#reads--
    task.isReading = false
    if (this.#tasks.get(taskId) === task) {
      for (const event of events ?? []) this.#push(task, event)
      if (events?.length === 0) this.#skip(taskId, task, stored)
      // What was heard of is not there, or the database is not. The next poll tells.
      if (!events?.length && task.heard === heard) task.heard = task.cursor!
      this.#readSoon(taskId, task)
    }
    this.#readDue()
  }

  #push(task: Watched, event: TaskEvent): void {
    const { taskId, seq } = event
    // Our own log has pushed it meanwhile.
    if (seq <= task.cursor!) return
    this.#skip(taskId, task, seq - 1)
    task.cursor = seq
    this.#sink.push(taskId, event)
  }

  /** Up to here there are no more events in the store. */
  #skip(taskId: string, task: Watched, seq: number): void {
    const after = task.cursor!
    if (seq <= after) return
    task.cursor = seq
    this.#sink.push(taskId, { frame: null, after, seq })
  }
}

class Watched {
  /** null: not yet known. */
  cursor: number | null = null
  /** Up to where others are said to have stored. Nothing but a reason to look. */
  heard = 0
  /** Up to where the store is known to have got. */
  stored = 0
  isReading = false
  opened: Promise<boolean> | null = null
}
