import type { EventRow } from '../schema.ts'

/** Deltas above this are dropped, oldest first: their text comes again with `item/completed`. */
const MAX_DELTAS = 50_000
/** Of their frames in all. A delta of a command's output can be large. */
const MAX_DELTA_CHARS = 64 * 1024 * 1024
/** What is left of either when some are dropped: dropping them one by one would copy the buffer each time. */
const KEPT = 0.9

/** Events that wait to be stored. A store that cannot keep up costs deltas, never memory without bound. */
export class EventBuffer {
  #rows: EventRow[] = []
  #deltas = 0
  #deltaChars = 0
  /** How many deltas of each task were dropped and not yet told. */
  #dropped = new Map<string, number>()

  get size(): number {
    return this.#rows.length
  }

  add(row: EventRow): void {
    this.#rows.push(row)
    if (row.is_delta === 0) return
    this.#count(row)
    this.#bound()
  }

  /** All of it; the buffer is empty then. */
  take(): { rows: EventRow[]; dropped: ReadonlyMap<string, number> } {
    const taken = { rows: this.#rows, dropped: this.#dropped }
    this.#rows = []
    this.#deltas = 0
    this.#deltaChars = 0
    if (this.#dropped.size > 0) this.#dropped = new Map()
    return taken
  }

  /** What was taken could not be stored: it comes first again. */
  putBack({ rows, dropped }: ReturnType<EventBuffer['take']>): void {
    const newer = this.#rows
    this.#rows = rows
    for (const row of rows) if (row.is_delta === 1) this.#count(row)
    for (const row of newer) rows.push(row)
    for (const [taskId, count] of dropped) this.#countDropped(taskId, count)
    this.#bound()
  }

  clear(): void {
    this.take()
  }

  has(taskId: string): boolean {
    return this.#rows.some(({ task_id }) => task_id === taskId)
  }

  #count({ frame }: EventRow): void {
    this.#deltas++
    this.#deltaChars += frame.length
  }

  #bound(): void {
    if (this.#deltas <= MAX_DELTAS && this.#deltaChars <= MAX_DELTA_CHARS) return
    this.#rows = this.#rows.filter((row) => {
      const isKept = this.#deltas <= MAX_DELTAS * KEPT && this.#deltaChars <= MAX_DELTA_CHARS * KEPT
      if (isKept || row.is_delta === 0) return true
      this.#deltas--
      this.#deltaChars -= row.frame.length
      this.#countDropped(row.task_id, 1)
      return false
    })
  }

  #countDropped(taskId: string, count: number): void {
    this.#dropped.set(taskId, (this.#dropped.get(taskId) ?? 0) + count)
  }
}
