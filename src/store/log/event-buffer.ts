import type { EventRow } from '../schema.ts'

/** Deltas above this are dropped, oldest first: their text comes again with `item/completed`. */
const MAX_DELTAS = 50_000

/** Events that wait to be stored. A store that cannot keep up costs deltas, never memory without bound. */
export class EventBuffer {
  #rows: EventRow[] = []
  #deltas = 0
  /** How many deltas of each task were dropped and not yet told. */
  #dropped = new Map<string, number>()

  get size(): number {
    return this.#rows.length
  }

  add(row: EventRow): void {
    this.#rows.push(row)
    if (row.is_delta === 1 && ++this.#deltas > MAX_DELTAS) this.#dropOldest()
  }

  /** All of it; the buffer is empty then. */
  take(): { rows: EventRow[]; dropped: ReadonlyMap<string, number> } {
    const taken = { rows: this.#rows, dropped: this.#dropped }
    this.#rows = []
    this.#deltas = 0
    if (this.#dropped.size > 0) this.#dropped = new Map()
    return taken
  }

  /** What was taken could not be stored: it comes first again. */
  putBack({ rows, dropped }: ReturnType<EventBuffer['take']>): void {
    for (const row of this.#rows) rows.push(row)
    this.#rows = rows
    this.#deltas = rows.reduce((sum, { is_delta }) => sum + is_delta, 0)
    for (const [taskId, count] of dropped) this.#countDropped(taskId, count)
    if (this.#deltas > MAX_DELTAS) this.#dropOldest()
  }

  clear(): void {
    this.take()
  }

  has(taskId: string): boolean {
    return this.#rows.some(({ task_id }) => task_id === taskId)
  }

  /** A tenth at once: dropping them one by one would copy the buffer each time. */
  #dropOldest(): void {
    let left = this.#deltas - Math.floor(MAX_DELTAS * 0.9)
    this.#deltas -= left
    this.#rows = this.#rows.filter(({ is_delta, task_id }) => {
      if (is_delta === 0 || left === 0) return true
      left--
      this.#countDropped(task_id, 1)
      return false
    })
  }

  #countDropped(taskId: string, count: number): void {
    this.#dropped.set(taskId, (this.#dropped.get(taskId) ?? 0) + count)
  }
}
