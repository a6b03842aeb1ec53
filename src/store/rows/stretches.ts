// Sums over stretches of time. The database adds up: however many rows there are, one for each stretch is read.
import { type Kysely, type QueryCreator, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** From this time until before that. Several must not overlap. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

interface StretchRow {
  /** Which one it is, from 0. */
  place: number
  from_at: number
  to_at: number
}

/** Queries that know the table `stretch`. */
export type Stretched = QueryCreator<Database & { stretch: StretchRow }>

/** PostgreSQL has to be told what kind of numbers they are. */
export function stretched(db: Kysely<Database>, stretches: readonly Stretch[]): Stretched {
  const rows = stretches.map(
    ({ from, to }, place) => sql`(${sql.lit(place)}, cast(${from} as bigint), cast(${to} as bigint))`,
  )
  return db.with('stretch(place, from_at, to_at)', () => sql<StretchRow>`(values ${sql.join(rows)})`)
}

/** How many rows have one of these values. */
export function countOf(column: string, values: readonly string[]) {
  return sql<number>`sum(case when ${sql.ref(column)} in (${sql.join(values)}) then 1 else 0 end)`
}

/** PostgreSQL gives counts and sums as text: `read` makes numbers of them. */
export function byPlace<Row extends { place: number }, T>(
  rows: readonly Row[],
  read: (row: Row) => T,
): Map<number, T> {
  return new Map(rows.map((row) => [row.place, read(row)]))
}
