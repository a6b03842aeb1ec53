// What must be true of the source and the target before a row is copied, and stay true until the end.
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { databaseTime, isPostgres } from '../dialect.ts'
import { doneMigrations, type Migrations, refuseNewer } from '../migrate.ts'
import { doneInPostgres } from '../postgres/migrate-postgres.ts'
import { StoreError } from '../store-errors.ts'
import { columnTypes } from './insert-rows.ts'
import type { Table } from './tables.ts'

export type Side = 'source' | 'target'

export async function refuseOtherSchema(db: Db, side: Side, migrations: Migrations): Promise<void> {
  const done = isPostgres(db) ? await doneInPostgres(db) : await doneMigrations(db)
  refuseNewer(done, { file: `the ${side}`, migrations })
  const missing = Object.keys(migrations).filter((name) => !done.includes(name))
  if (missing.length === 0) return
  throw new StoreError(
    'schema-not-newest',
    `the ${side} does not have the newest schema (${missing.join(', ')} is missing). Nothing was changed. ` +
      'Start the service on it once, which brings it to the newest schema, and stop it again.',
    { details: { side, missing } },
  )
}

/** Waits this long for a session that writes. Autovacuum gives way after one second. */
const LOCK_TIMEOUT_MS = 3_000

/**
 * Until the end of the transaction no other session can write to these tables; they can be read. In SQLite every
 * transaction has that already. Timeouts are off, because a move can take long.
 */
export async function holdTables(db: Db, side: Side, tables: readonly Table[]): Promise<void> {
  if (!isPostgres(db)) return
  // Not `set local`: transaction_timeout exists from 17 on.
  await sql`select set_config(name, case name when 'lock_timeout' then ${String(LOCK_TIMEOUT_MS)} else '0' end, true)
    from pg_settings where name in
      ('lock_timeout', 'statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`.execute(
    db,
  )
  const names = sql.join(tables.map(({ name }) => sql.table(name)))
  const mode = side === 'source' ? sql`share` : sql`exclusive`
  try {
    await sql`lock table ${names} in ${mode} mode`.execute(db)
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
    throw new StoreError(
      'database-in-use',
      `another session is writing to the ${side}. Nothing was changed. ` +
        'Stop every service that uses it, and try again.',
      { details: { side }, retryable: true, cause: error },
    )
  }
}

/** SQLSTATE of a lock timeout. */
const LOCK_NOT_AVAILABLE = '55P03'

/** A column that was added by hand would be lost, or have no value. */
export async function refuseOtherColumns(postgres: Db, tables: readonly Table[]): Promise<void> {
  for (const { name, columns } of tables) {
    const there = await columnTypes(postgres, name)
    if (there.size === columns.length && columns.every((column) => there.has(column))) continue
    throw new StoreError(
      'move-failed',
      `the columns of ${name} in PostgreSQL are not those of the schema. Nothing was changed. ` +
        'Remove or rename the columns that were added by hand.',
      { details: { table: name } },
    )
  }
}

/** A worker writes to the source later than the move, or to a target that it believes to be empty. */
export async function refuseWorkers(db: Db, side: Side): Promise<void> {
  const live = await db
    .selectFrom('workers')
    .select('name')
    .where('state', 'in', ['up', 'draining'])
    .where('lease_until', '>', databaseTime(db))
    .executeTakeFirst()
  if (!live) return
  throw new StoreError(
    'database-in-use',
    `the worker ${live.name} runs on the ${side}. Nothing was changed. Stop every service that uses it, and try again.`,
    { details: { side, worker: live.name }, retryable: true },
  )
}

export async function refuseRows(target: Db, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(target)
    if (rows.length === 0) continue
    throw new StoreError(
      'target-not-empty',
      `the target has rows already (in ${name}). Nothing was changed. Choose an empty database or a new data folder.`,
      { details: { table: name } },
    )
  }
}
