// The least that can store events: batches inserted by some connections, each batch a transaction.
import { sql } from 'kysely'
import type { Db } from '../src/store/db.ts'
import { openPostgres } from '../src/store/index.ts'
import type { EventRow } from '../src/store/schema.ts'

const COLUMNS = ['task_id', 'seq', 'at', 'method', 'turn_id', 'item_id', 'is_delta', 'frame'] as const

export interface RawInserts {
  readonly connections: number
  readonly batch: number
}

/** Stores these once more in a table of its own, made as that of the events. Events per second. */
export async function rawInserts(
  url: string,
  events: readonly EventRow[],
  { connections, batch }: RawInserts,
): Promise<number> {
  const database = await openPostgres({ url, poolSize: connections * 3 })
  try {
    await sql`drop table if exists raw_events`.execute(database.db)
    await sql`create table raw_events (like events including all)`.execute(database.db)
    let next = 0
    const startedAt = performance.now()
    const insertAll = async () => {
      while (next < events.length) {
        const from = next
        next += batch
        await insert(database.reader, events.slice(from, from + batch))
      }
    }
    await Promise.all(Array.from({ length: connections }, insertAll))
    return events.length / ((performance.now() - startedAt) / 1_000)
  } finally {
    await database.close()
  }
}

async function insert(db: Db, rows: readonly EventRow[]): Promise<void> {
  const [ids, seqs, ats, methods, turns, items, deltas, frames] = COLUMNS.map((name) =>
    rows.map((row) => row[name]),
  )
  await sql`insert into raw_events select * from unnest(${ids}::text[], ${seqs}::bigint[], ${ats}::bigint[],
    ${methods}::text[], ${turns}::text[], ${items}::text[], ${deltas}::integer[], ${frames}::text[])`.execute(
    db,
  )
}
