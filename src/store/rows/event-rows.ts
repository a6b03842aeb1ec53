// The log's table. Inserts are on the path of every notification: their SQL is compiled once per group size.
import { CompiledQuery, sql } from 'kysely'
import type { Db } from '../db.ts'
import type { EventRow } from '../schema.ts'
import type { TaskEvent } from '../task-event.ts'

/** Few sizes, so that few statements are kept prepared. */
const GROUPS = [128, 16, 1] as const
const inserts = new Map<number, string>()

export async function insertEvents(db: Db, rows: readonly EventRow[]): Promise<void> {
  let from = 0
  for (const size of GROUPS) {
    while (rows.length - from >= size) {
      await db.executeQuery(CompiledQuery.raw(insertOf(db, size), valuesOf(rows, from, from + size)))
      from += size
    }
  }
}

/** The item has completed and says all that its deltas said, of which this was the first. */
export async function deleteDeltas(
  db: Db,
  taskId: string,
  { itemId, fromSeq }: { itemId: string; fromSeq: number },
): Promise<void> {
  await db
    .deleteFrom('events')
    .where('task_id', '=', taskId)
    .where('seq', '>=', fromSeq)
    .where('item_id', '=', itemId)
    .where('is_delta', '=', 1)
    .execute()
}

/** Items whose deltas are kept because they have not completed, with the first of each. */
export async function itemsWithDeltas(db: Db, taskId: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('events')
    .select(['item_id', (eb) => eb.fn.min('seq').as('seq')])
    .where('task_id', '=', taskId)
    .where('is_delta', '=', 1)
    .where('item_id', 'is not', null)
    .groupBy('item_id')
    .execute()
  return new Map(rows.map(({ item_id, seq }) => [item_id!, Number(seq)]))
}

export interface EventRange {
  readonly after?: number | undefined
  readonly before?: number | undefined
  readonly limit: number
  readonly maxBytes: number
}

/** In order. Backwards (`before`) it is the page that ends there. At least one event, however large. */
export async function eventPage(
  db: Db,
  taskId: string,
  range: EventRange,
): Promise<{ events: TaskEvent[]; hasMore: boolean }> {
  const { seqs, hasMore } = await seqsOfPage(db, taskId, range)
  if (seqs.length === 0) return { events: [], hasMore }
  const rows = await db
    .selectFrom('events')
    .select(['seq', 'at', 'method', 'frame'])
    .where('task_id', '=', taskId)
    .where('seq', '>=', Math.min(seqs[0]!, seqs.at(-1)!))
    .where('seq', '<=', Math.max(seqs[0]!, seqs.at(-1)!))
    .orderBy('seq')
    .execute()
  return { events: rows.map((row) => ({ taskId, ...row })), hasMore }
}

/** What fits, by its size: frames that do not are not even read. */
async function seqsOfPage(
  db: Db,
  taskId: string,
  { after, before, limit, maxBytes }: EventRange,
): Promise<{ seqs: number[]; hasMore: boolean }> {
  const isBackwards = before !== undefined && after === undefined
  let rows = db
    .selectFrom('events')
    .select(['seq', sql<number>`octet_length(frame)`.as('bytes')])
    .where('task_id', '=', taskId)
    .orderBy('seq', isBackwards ? 'desc' : 'asc')
    .limit(limit + 1)
  if (after !== undefined) rows = rows.where('seq', '>', after)
  if (before !== undefined) rows = rows.where('seq', '<', before)
  const found = await rows.execute()
  const seqs: number[] = []
  let sum = 0
  for (const { seq, bytes } of found.slice(0, limit)) {
    sum += bytes
    if (sum > maxBytes && seqs.length > 0) break
    seqs.push(seq)
  }
  return { seqs, hasMore: found.length > seqs.length }
}

export async function lastSeq(db: Db, taskId: string): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .where('task_id', '=', taskId)
    .executeTakeFirst()
  // Its newest events may have been deleted for their age.
  const task = await db.selectFrom('tasks').select('last_seq').where('id', '=', taskId).executeTakeFirst()
  return Math.max(Number(row?.seq ?? 0), Number(task?.last_seq ?? 0))
}

/** The events that say what of a turn has completed: of its items, and of itself. */
export function completionsIn(
  db: Db,
  taskId: string,
  turnId: string,
): Promise<Pick<EventRow, 'method' | 'item_id' | 'frame'>[]> {
  return db
    .selectFrom('events')
    .select(['method', 'item_id', 'frame'])
    .where('task_id', '=', taskId)
    .where('turn_id', '=', turnId)
    .where('method', 'in', ['item/completed', 'turn/completed', 'drawbridge/oversize'])
    .execute()
}

function insertOf(db: Db, size: number): string {
  const known = inserts.get(size)
  if (known) return known
  const row: EventRow = {
    task_id: '',
    seq: 0,
    at: 0,
    method: '',
    turn_id: null,
    item_id: null,
    is_delta: 0,
    frame: '',
  }
  const compiled = db
    .insertInto('events')
    .values(Array.from({ length: size }, () => row))
    .compile()
  inserts.set(size, compiled.sql)
  return compiled.sql
}

function valuesOf(rows: readonly EventRow[], from: number, to: number): unknown[] {
  const values: unknown[] = []
  for (let index = from; index < to; index++) {
    const { task_id, seq, at, method, turn_id, item_id, is_delta, frame } = rows[index]!
    values.push(task_id, seq, at, method, turn_id, item_id, is_delta, frame)
  }
  return values
}
