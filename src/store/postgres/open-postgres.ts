import { type Kysely, sql } from 'kysely'
import type { Migrations } from '../migrate.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import type { Database } from '../schema.ts'
import { StoreError } from '../store-errors.ts'
import { shownUrl } from './address.ts'
import { type MigratedPostgres, migratePostgres } from './migrate-postgres.ts'
import { openPool } from './pool.ts'
import type { PoolOptions } from './pool-options.ts'

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
  replyTimeoutMs: 65_000,
  connectTimeoutMs: 10_000,
  idleInTransactionMs: 15_000,
  applicationName: 'drawbridge',
}

/** For what may take as long as it takes: a migration, a check, a move. */
export const UNLIMITED = { statementTimeoutMs: 0, replyTimeoutMs: 0, idleInTransactionMs: 0 }

const OLDEST = 14
/** The log, the beat of a worker, upkeep: slow readers must not keep them waiting. */
const MAX_WRITERS = 4

/**
 * One of many workers on a shared database. Rejects with a `StoreError` that says what to do: `bad-database-url`,
 * `database-unreachable`, `database-login-failed`, `database-not-found`, `database-full`, `database-too-old`,
 * `database-too-new`, `migration-failed`. No error of ours or of pg's has the password in it.
 */
export async function openPostgres(options: OpenPostgresOptions): Promise<OpenPostgres> {
  const { url, migrations = MIGRATIONS } = options
  const pool = poolOptions(options)
  const shown = shownUrl(url)
  const migrated = await prepare(pool, { shown, migrations })
  const writers = Math.min(MAX_WRITERS, Math.floor(pool.poolSize / 2))
  if (writers === 0) {
    const db = await openPool(pool)
    return { shownUrl: shown, db, reader: db, migrated, close: () => db.destroy() }
  }
  const db = await openPool({ ...pool, poolSize: writers })
  const reader = await openPool({ ...pool, poolSize: pool.poolSize - writers })
  const close = async () => void (await Promise.all([db.destroy(), reader.destroy()]))
  return { shownUrl: shown, db, reader, migrated, close }
}

function poolOptions(options: OpenPostgresOptions): PoolOptions {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return { ...POSTGRES_DEFAULTS, ...Object.fromEntries(given), url: options.url }
}

/** Connects and changes nothing. Rejects as `openPostgres` does. */
export async function lookAtPostgres(url: string): Promise<{ shownUrl: string; version: string }> {
  const db = await openPool({ url, ...POSTGRES_DEFAULTS, poolSize: 1 })
  try {
    const { rows } = await sql<{
      version: string
    }>`select current_setting('server_version') as version`.execute(db)
    return { shownUrl: shownUrl(url), version: rows[0]!.version }
  } finally {
    await db.destroy()
  }
}

/** On a connection of its own, which may wait for another worker's migration as long as that takes. */
async function prepare(
  pool: PoolOptions,
  options: { shown: string; migrations: Migrations },
): Promise<MigratedPostgres | null> {
  const db = await openPool({ ...pool, poolSize: 1, ...UNLIMITED })
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
