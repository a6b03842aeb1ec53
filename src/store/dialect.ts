// Which database a query is for, where the two need different words.
import { PostgresAdapter, type SelectQueryBuilder } from 'kysely'
import type { Db } from './db.ts'

export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** In a transaction, so that these rows stay as they are until its end. One of SQLite's has the whole file to itself. */
export function locked<Query extends SelectQueryBuilder<never, never, unknown>>(db: Db, rows: Query): Query {
  return isPostgres(db) ? (rows.forUpdate() as Query) : rows
}
