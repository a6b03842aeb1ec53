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
  if (done.length === 0) await refuseForeign(db, shown)
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
    const why = (error as Error).message
    const message = `${shown} could not be brought to ${failed}: ${why}. It is unchanged`
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

/** Our tables among another program's could be taken for each other. What extensions and migrators add does not count. */
async function refuseForeign(db: Kysely<Database>, shown: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'p')
      and relname not like 'kysely\\_migration%'
      and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')
    order by relname limit 3`.execute(db)
  // Another worker may have made them since we looked.
  if (rows.length === 0 || (await doneInPostgres(db)).length > 0) return
  const found = rows.map(({ name }) => name).join(', ')
  throw new StoreError(
    'database-unusable',
    `${shown} has tables of another program (${found}). Nothing was changed. Give Drawbridge a database of its own ` +
      '(createdb drawbridge) and name it in DRAWBRIDGE_DATABASE_URL, or set that to sqlite.',
  )
}
