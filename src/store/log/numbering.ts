// Gives events their sequence numbers when they are stored, and drops the deltas that a completed item repeats. Heads
// change only in `apply`, after the commit, so that a transaction can be tried again.
import type { Db } from '../db.ts'
import { deleteDeltas } from '../rows/event-rows.ts'
import type { EventRow } from '../schema.ts'

/** The end of one task's log. */
export class Head {
  seq: number
  /** Of each item that has not completed: the sequence of its first delta. */
  readonly firstDeltas: Map<string, number>

  constructor(seq: number, firstDeltas: Map<string, number> = new Map()) {
    this.seq = seq
    this.firstDeltas = firstDeltas
  }
}

export class Numbering {
  readonly #heads: ReadonlyMap<string, Head>
  readonly #numbered = new Map<string, { readonly head: Head; seq: number }>()
  /** First deltas that were added, by task and item. */
  readonly #added = new Map<string, { readonly head: Head; readonly itemId: string; readonly seq: number }>()
  readonly #forgotten: { readonly head: Head; readonly itemId: string }[] = []

  /** `heads` has one for every task with events to store. */
  constructor(heads: ReadonlyMap<string, Head>) {
    this.#heads = heads
  }

  /** The rows to store, numbered. Deltas of items that complete among them are left out, stored ones are deleted. */
  async number(db: Db, rows: readonly EventRow[]): Promise<readonly EventRow[]> {
    const kept = withoutSuperseded(rows)
    for (const row of kept) {
      const { task_id: taskId, item_id: itemId } = row
      const numbered = this.#numberedOf(taskId)
      const { head } = numbered
      row.seq = ++numbered.seq
      if (itemId === null) continue
      if (row.is_delta === 1) this.#add(head, row)
      else if (row.method === 'item/completed') await this.#forget(db, head, row)
    }
    return kept
  }

  /** The transaction has committed. */
  apply(): void {
    for (const { head, seq } of this.#numbered.values()) head.seq = seq
    for (const { head, itemId, seq } of this.#added.values()) head.firstDeltas.set(itemId, seq)
    for (const { head, itemId } of this.#forgotten) head.firstDeltas.delete(itemId)
  }

  #numberedOf(taskId: string): { readonly head: Head; seq: number } {
    const known = this.#numbered.get(taskId)
    if (known) return known
    const head = this.#heads.get(taskId)!
    const numbered = { head, seq: head.seq }
    this.#numbered.set(taskId, numbered)
    return numbered
  }

  #add(head: Head, { task_id: taskId, item_id, seq }: EventRow): void {
    const itemId = item_id!
    if (head.firstDeltas.has(itemId)) return
    const key = `${taskId} ${itemId}`
    if (!this.#added.has(key)) this.#added.set(key, { head, itemId, seq })
  }

  async #forget(db: Db, head: Head, { task_id: taskId, item_id }: EventRow): Promise<void> {
    const itemId = item_id!
    const fromSeq = head.firstDeltas.get(itemId)
    if (fromSeq === undefined) return
    await deleteDeltas(db, taskId, { itemId, fromSeq })
    this.#forgotten.push({ head, itemId })
  }
}

function withoutSuperseded(rows: readonly EventRow[]): readonly EventRow[] {
  const completed = new Set<string>()
  for (const { method, task_id, item_id } of rows)
    if (method === 'item/completed' && item_id !== null) completed.add(`${task_id} ${item_id}`)
  if (completed.size === 0) return rows
  return rows.filter(
    ({ is_delta, task_id, item_id }) => is_delta === 0 || !completed.has(`${task_id} ${item_id}`),
  )
}
