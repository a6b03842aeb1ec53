// The log's table.
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import type { EventRow } from '../schema.ts'
import type { TaskEvent } from '../task-event.ts'

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
  const { rows } = await sql<{ seq: number | null; last_seq: number | null }>`
    select (select max(seq) from events where task_id = ${taskId}) as seq,
      (select last_seq from tasks where id = ${taskId}) as last_seq`.execute(db)
  // Its newest events may have been deleted for their age.
  return Math.max(Number(rows[0]?.seq ?? 0), Number(rows[0]?.last_seq ?? 0))
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
    .orderBy('seq')
    .execute()
}

/** The next events of a task in one query, at least one if there is any. PostgreSQL only. */
export async function eventsAfter(
  db: Db,
  taskId: string,
  { after, limit, maxBytes }: { after: number; limit: number; maxBytes: number },
): Promise<TaskEvent[]> {
  const { rows } = await sql<Omit<TaskEvent, 'taskId'>>`select seq, at, method, frame from (
      select seq, at, method, frame, sum(octet_length(frame)) over (order by seq) - octet_length(frame) as bytes
      from (select seq, at, method, frame from events where task_id = ${taskId} and seq > ${after}
        order by seq limit ${limit}) as next) as summed
    where bytes < ${maxBytes} order by seq`.execute(db)
  return rows.map((row) => ({ taskId, ...row }))
}

/** Up to where each of these tasks has events. A task that is not there has no entry. */
export async function lastSeqs(db: Db, taskIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; last_seq: number }>`
    select id, last_seq from tasks where id = any(${taskIds}::text[])`.execute(db)
  return new Map(rows.map(({ id, last_seq }) => [id, last_seq]))
}
