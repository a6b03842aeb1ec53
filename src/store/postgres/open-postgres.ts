import { type Kysely, sql } from 'kysely'
import type { Migrations } from '../migrate.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import type { Database } from '../schema.ts'
import { StoreError } from '../store-errors.ts'
import { shownUrl } from './address.ts'
import { type MigratedPostgres, migratePostgres } from './migrate-postgres.ts'
import { openPool, type PoolOptions } from './pool.ts'

export interface OpenPostgresOptions extends Partial<Omit<PoolOptions, 'url'>> {
  /** `postgres://user:password@host:5432/database?sslmode=disable|require|verify-full&sslrootcert=file`. */
  readonly url: string
  readonly migrations?: Migrations | undefined
}

export interface OpenPostgres {
  /** Where it is, without the password. */
  readonly shownUrl: string
  readonly db: Kysely<Database>
  /** For pages, lists and searches: sees what is committed at once. */
  readonly reader: Kysely<Database>
  /** From which schema it was brought to this one; null when it had it already, or was new. */
  readonly migrated: MigratedPostgres | null
  /** Waits for what was asked for before. */
  close(): Promise<void>
}

export const POSTGRES_DEFAULTS: Omit<PoolOptions, 'url'> = {
  poolSize: 10,
  statementTimeoutMs: 60_000,
  connectTimeoutMs: 10_000,
  applicationName: 'drawbridge',
}

const OLDEST = 14

/**
 * One of many workers on a shared database. Rejects with a `StoreError` that says what to do: `bad-database-url`,
 * `database-unreachable`, `database-login-failed`, `database-not-found`, `database-full`, `database-too-old`,
 * `database-too-new`, `migration-failed`. No error of ours or of pg's has the password in it.
 */
export async function openPostgres(options: OpenPostgresOptions): Promise<OpenPostgres> {
  const { url, migrations = MIGRATIONS } = options
  const pool: PoolOptions = {
    url,
    poolSize: options.poolSize ?? POSTGRES_DEFAULTS.poolSize,
    statementTimeoutMs: options.statementTimeoutMs ?? POSTGRES_DEFAULTS.statementTimeoutMs,
    connectTimeoutMs: options.connectTimeoutMs ?? POSTGRES_DEFAULTS.connectTimeoutMs,
    applicationName: options.applicationName ?? POSTGRES_DEFAULTS.applicationName,
  }
  const shown = shownUrl(url)
  const migrated = await prepare(pool, { shown, migrations })
  const db = await openPool(pool)
  return { shownUrl: shown, db, reader: db, migrated, close: () => db.destroy() }
}

/** On a connection of its own, which may wait for another worker's migration as long as that takes. */
async function prepare(
  pool: PoolOptions,
  options: { shown: string; migrations: Migrations },
): Promise<MigratedPostgres | null> {
  const db = await openPool({ ...pool, poolSize: 1, statementTimeoutMs: 0 })
  try {
    await refuseOld(db, options.shown)
    return await migratePostgres(db, options)
  } finally {
    await db.destroy()
  }
}

async function refuseOld(db: Kysely<Database>, shown: string): Promise<void> {
  const { rows } = await sql<{
    version: string
  }>`select current_setting('server_version_num') as version`.execute(db)
  const major = Math.floor(Number(rows[0]!.version) / 10_000)
  if (major < OLDEST)
    throw new StoreError(
      'database-too-old',
      `${shown} is PostgreSQL ${major}; Drawbridge needs ${OLDEST} or newer`,
      { details: { major } },
    )
}
