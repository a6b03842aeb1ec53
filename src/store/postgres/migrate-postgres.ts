// Brings a database to the newest schema: all steps or none. Of workers that start at once one does it, under Kysely's
// advisory lock; the others wait and then find nothing to do. One of a newer Drawbridge is refused and not changed.
import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { type Migrations, refuseNewer } from '../migrate.ts'
import type { Database } from '../schema.ts'
import { StoreError } from '../store-errors.ts'
import { PortableSchema } from './portable-schema.ts'

export interface MigratePostgresOptions {
  /** The url without its password. */
  readonly shown: string
  readonly migrations: Migrations
  readonly upTo?: string | undefined
}

export interface MigratedPostgres {
  readonly from: string
  readonly to: string
}

/** null when there was nothing to do, or the database was new. The connection must have no statement timeout: it waits. */
export async function migratePostgres(
  db: Kysely<Database>,
  { shown, migrations, upTo }: MigratePostgresOptions,
): Promise<MigratedPostgres | null> {
  const names = Object.keys(migrations).sort()
  const to = upTo ?? names.at(-1)!
  const done = await doneInPostgres(db)
  refuseNewer(done, { file: shown, migrations })
  if (done.includes(to)) return null
  const migrator = new Migrator({
    db: db.withPlugin(new PortableSchema()),
    provider: { getMigrations: async () => ({ ...migrations }) },
    allowUnorderedMigrations: true,
  })
  const { error, results = [] } = await migrator.migrateTo(to)
  if (error) {
    // A newer one may have been here while we waited.
    refuseNewer(await doneInPostgres(db), { file: shown, migrations })
    const failed = results.find(({ status }) => status === 'Error')?.migrationName ?? to
    const message = `${shown} could not be brought to ${failed}; it is unchanged`
    throw new StoreError('migration-failed', message, { details: { migration: failed }, cause: error })
  }
  const from = done.at(-1)
  return from === undefined || results.length === 0 ? null : { from, to }
}

/** By name. Empty for a database without a schema. */
export async function doneInPostgres(db: Kysely<Database>): Promise<string[]> {
  const found = await sql<{
    name: string | null
  }>`select to_regclass('kysely_migration')::text as name`.execute(db)
  if (found.rows[0]!.name === null) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name).sort()
}
