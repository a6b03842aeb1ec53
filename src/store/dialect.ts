// Which database a query is for, where the two need different words.
import { PostgresAdapter, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from './db.ts'

export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** Whether other workers may use it at the same time. */
export function isShared(db: Db): boolean {
  return isPostgres(db)
}

/** In a transaction, so that these rows stay as they are until its end. One of SQLite's has the whole file to itself. */
export function locked<Query extends SelectQueryBuilder<never, never, unknown>>(db: Db, rows: Query): Query {
  return isPostgres(db) ? (rows.forUpdate() as Query) : rows
}

/** The database's clock in milliseconds: workers' own clocks need not agree. */
export function databaseTime(db: Db): RawBuilder<number> {
  return isPostgres(db)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
}
