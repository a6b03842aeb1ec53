// How much room the log takes in PostgreSQL. Files say little: what was deleted leaves them only when they are rewritten,
// and the next rows go there. So rows are measured, and what a run removes is taken off.
import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** Of a row and its place in the index, beside its frame. */
const BYTES_PER_ROW = 200
/** What is read of a large table to estimate the whole. */
const SAMPLED_BYTES = 256 * 1024 * 1024

/** Of all events. Exact up to some size, and then an estimate from a sample of the pages. */
export async function postgresBytes(db: Kysely<Database>): Promise<number> {
  const table = await sql<{ bytes: number }>`select pg_relation_size('events') as bytes`.execute(db)
  const percent = Math.min(100, (SAMPLED_BYTES / Math.max(1, table.rows[0]!.bytes)) * 100)
  const { rows } = await sql<{ bytes: string }>`
    select coalesce(sum(octet_length(frame) + ${sql.lit(BYTES_PER_ROW)}), 0) as bytes
    from events tablesample system (${sql.lit(percent)})`.execute(db)
  return Math.round((Number(rows[0]!.bytes) / percent) * 100)
}

export function postgresBytesOf({ events, frameBytes }: { events: number; frameBytes: number }): number {
  return events * BYTES_PER_ROW + frameBytes
}
