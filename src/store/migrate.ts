// Brings a database to the newest schema: all steps or none. One from a newer Drawbridge is refused before anything is
// written; one that has rows is copied first.
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Database } from './schema.ts'
import { keepCopy } from './sqlite/kept-copies.ts'
import { StoreError } from './store-errors.ts'

export type Migrations = Readonly<Record<string, Migration>>

export interface Migrated {
  /** The last step that had been taken before. */
  readonly from: string
  readonly to: string
  /** The copy from before. */
  readonly backup: string
}

export interface MigrateOptions {
  readonly file: string
  readonly migrations: Migrations
  readonly now: () => number
}

/** null when there was nothing to do. */
export async function migrateExisting(
  db: Kysely<Database>,
  { file, migrations, now }: MigrateOptions,
): Promise<Migrated | null> {
  const from = (await doneMigrations(db)).at(-1)
  const to = newest(migrations)
  if (from === to) return null
  const backup = from === undefined ? null : await keepCopy(file, { before: to, now })
  await applyMigrations(db, migrations)
  return from === undefined || backup === null ? null : { from, to, backup }
}

/** Up to and with one of them; to the newest unless told otherwise. */
export async function applyMigrations(
  db: Kysely<Database>,
  migrations: Migrations,
  upTo = newest(migrations),
): Promise<void> {
  const checked = Object.entries(migrations).map(([name, step]) => [name, withForeignKeyCheck(step)] as const)
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(checked) },
    // Kysely compares the order of the times they were done, and a clock can be set back; names are unique and sorted.
    allowUnorderedMigrations: true,
  })
  // A step that rebuilds a table must not delete what refers to it. SQLite can change this only outside a transaction.
  await sql`pragma foreign_keys = off`.execute(db)
  const { error, results = [] } = await migrator.migrateTo(upTo)
  await sql`pragma foreign_keys = on`.execute(db)
  if (!error) return
  const failed = results.find(({ status }) => status === 'Error')?.migrationName ?? upTo
  throw new StoreError(
    'migration-failed',
    `the database could not be brought to ${failed}; it is unchanged`,
    {
      details: { migration: failed },
      cause: error,
    },
  )
}

/** By name. Empty for a database without a schema. */
export async function doneMigrations(db: Kysely<Database>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

export function refuseNewer(
  done: readonly string[],
  { file, migrations }: Omit<MigrateOptions, 'now'>,
): void {
  const unknown = done.filter((name) => !(name in migrations))
  if (unknown.length === 0) return
  throw new StoreError(
    'database-too-new',
    `${file} was last used by a newer Drawbridge (it has ${unknown.join(', ')}). Nothing was changed. ` +
      'Use that version, or a backup from before it.',
    { details: { unknown } },
  )
}

function newest(migrations: Migrations): string {
  return Object.keys(migrations).sort().at(-1)!
}

function withForeignKeyCheck({ up }: Migration): Migration {
  return {
    async up(db) {
      await up(db)
      const { rows } = await sql<{ table: string }>`pragma foreign_key_check`.execute(db)
      if (rows.length > 0) throw new Error(`rows of ${rows[0]!.table} refer to rows that are not there`)
    },
  }
}
