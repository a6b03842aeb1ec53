// One transaction's work and what follows from it.
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { isCollision, isDoubled } from '../postgres/refusal.ts'
import type { EventRow } from '../schema.ts'
import { type OwnEvents, type OwnMethod, ownFrame } from '../task-event.ts'

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

/**
 * What is done in a change. It throws to undo all of it. Effects outside the store belong into `after`: a transaction
 * that fails for reasons of the database is run again, from the start.
 */
export type Work<T> = (change: Change) => Promise<T>

/** Hears of our own events in the change that emits them, and may store what follows from them. */
export interface Noted {
  readonly methods: ReadonlySet<OwnMethod>
  readonly note: (change: Change, event: NotedEvent) => Promise<void>
}

export interface NotedEvent {
  readonly taskId: string
  readonly method: OwnMethod
  readonly params: OwnEvents[OwnMethod]
}

/** How a change is made. */
export interface Making {
  readonly now: () => number
  readonly noted: Noted | null
}

export interface PendingChange {
  readonly work: Work<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A change that has been tried. `settle` is called once the transaction has committed. */
export interface TriedChange {
  readonly events: readonly EventRow[]
  readonly settle: (run: (effect: () => void) => void) => void
}

/** A change that has no savepoint of its own failed: all of the transaction has to be undone, and run again with them. */
export class NeedsSavepointsError extends Error {
  constructor(cause: unknown) {
    super('a change failed in a transaction without savepoints', { cause })
  }
}

/**
 * Without a savepoint, which costs two round trips to a database elsewhere. Rejects with a `NeedsSavepointsError` when
 * the change fails, and when the transaction as a whole cannot go on.
 */
export async function runChange(db: Db, change: PendingChange, making: Making): Promise<TriedChange> {
  try {
    return await attempt(db, change, making)
  } catch (error) {
    throw isCollision(error) ? error : new NeedsSavepointsError(error)
  }
}

/** A change that fails takes nothing with it but itself. Rejects when the transaction as a whole cannot go on. */
export async function tryChange(
  db: Db,
  change: PendingChange,
  options: Making & { isShared: boolean; isAgain?: boolean },
): Promise<TriedChange> {
  const { isShared, isAgain = false } = options
  await sql`savepoint change`.execute(db)
  try {
    const tried = await attempt(db, change, options)
    await sql`release savepoint change`.execute(db)
    return tried
  } catch (error) {
    await sql`rollback to savepoint change`.execute(db)
    await sql`release savepoint change`.execute(db)
    if (isShared && isCollision(error)) throw error
    // Another worker has just stored the same key: run again, it finds that.
    if (isShared && isDoubled(error) && !isAgain) return tryChange(db, change, { ...options, isAgain: true })
    return { events: [], settle: () => change.reject(error) }
  }
}

async function attempt(
  db: Db,
  { work, resolve }: PendingChange,
  { now, noted }: Making,
): Promise<TriedChange> {
  const events: EventRow[] = []
  const effects: (() => void)[] = []
  const heard: NotedEvent[] = []
  const change: Change = {
    db,
    now: now(),
    emit: (taskId, method, params) => {
      events.push(ownRow(taskId, method, params, now()))
      if (noted?.methods.has(method)) heard.push({ taskId, method, params })
    },
    after: (effect) => void effects.push(effect),
  }
  const value = await work(change)
  for (const event of heard) await noted!.note(change, event)
  return {
    events,
    settle: (run) => {
      for (const effect of effects) run(effect)
      resolve(value)
    },
  }
}

export function ownRow<M extends OwnMethod>(
  taskId: string,
  method: M,
  params: OwnEvents[M],
  at: number,
): EventRow {
  return {
    task_id: taskId,
    seq: 0,
    at,
    method,
    turn_id: null,
    item_id: null,
    is_delta: 0,
    frame: ownFrame(method, params),
  }
}
