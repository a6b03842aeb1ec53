import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts'
import { STORES } from '../../../test/support/stores.ts'
import { countOf, fill } from '../fixtures/sample-rows.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import type { Database } from '../schema.ts'
import { doneInPostgres } from './migrate-postgres.ts'
import { type OpenPostgresOptions, openPostgres, POSTGRES_DEFAULTS } from './open-postgres.ts'
import { openPool } from './pool.ts'

const NAMES = Object.keys(MIGRATIONS)

async function opened(options: OpenPostgresOptions) {
  const store = await openPostgres(options)
  onTestFinished(() => store.close())
  return store
}

function run(...statements: readonly string[]): Migration {
  return {
    async up(db) {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}

it('makes the same tables and columns as on SQLite, with text that sorts by bytes', async () => {
  const [sqlite, postgres] = await Promise.all(STORES.map(async ({ make }) => (await make()).open()))
  const columns = async (db: Kysely<Database>) => {
    const tables = await db.introspection.getTables()
    // Frames are files beside SQLite.
    const shared = tables.filter(({ name }) => !['frames', 'deliverable_parts'].includes(name))
    const made = shared.map(({ name, columns }) => ({
      name,
      columns: columns.map(({ name, isNullable, isAutoIncrementing }) => ({
        name,
        isNullable,
        isAutoIncrementing,
      })),
    }))
    return made.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  }
  const { rows } = await sql<{ collation_name: string }>`select distinct collation_name
    from information_schema.columns where table_schema = 'public' and data_type = 'text'`.execute(
    postgres!.reader,
  )
  expect(rows).toEqual([{ collation_name: 'C' }])
  // SQLite says of a primary key that it may be null, unless it is an integer.
  const nullable = (text: string) => text.replaceAll(/"isNullable":(true|false)/g, '')
  const [here, there] = [await columns(sqlite!.reader), await columns(postgres!.reader)]
  expect(nullable(JSON.stringify(there))).toBe(nullable(JSON.stringify(here)))
})

describe('workers that start at once', () => {
  it('migrate once: the others wait, and then find nothing to do', async () => {
    const url = await freshDatabase()
    const stores = await Promise.all(Array.from({ length: 4 }, () => opened({ url, poolSize: 1 })))
    expect(await doneInPostgres(stores[0]!.db)).toEqual(NAMES)
    expect(stores.map(({ migrated }) => migrated)).toEqual([null, null, null, null])
  })

  it('wait for a migration that is under way', async () => {
    const url = await freshDatabase('migrated')
    const { db } = await opened({ url })
    const isAdding = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const slow: Migration = {
      async up(migrating) {
        await sql`create table more (id text)`.execute(migrating)
        isAdding.resolve()
        await mayEnd.promise
      },
    }
    const first = opened({ url, migrations: { ...MIGRATIONS, '101-more': slow } })
    await isAdding.promise
    const never: Migration = { up: () => Promise.reject(new Error('taken twice')) }
    // A statement timeout must not end the wait.
    const second = opened({ url, migrations: { ...MIGRATIONS, '101-more': never }, statementTimeoutMs: 1 })
    await expect
      .poll(async () => {
        const { rows } = await sql<{ count: number }>`select count(*) as count from pg_locks
          where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`.execute(db)
        return rows[0]!.count
      })
      .toBe(1)
    mayEnd.resolve()
    expect((await first).migrated).toEqual({ from: NAMES.at(-1), to: '101-more' })
    expect((await second).migrated).toBeNull()
  })
})

it('all steps happen or none', async () => {
  const url = await freshDatabase('migrated')
  const { db, close } = await opened({ url })
  await fill(db, { tasks: 2, events: 3 })
  await close()
  const failing: Migration = { up: () => Promise.reject(new Error('no such thing')) }
  const more = run('create table more (id text)')
  const migrations = { ...MIGRATIONS, '101-more': more, '102-bad': failing }
  await expect(openPostgres({ url, migrations })).rejects.toMatchObject({
    code: 'migration-failed',
    details: { migration: '102-bad' },
    cause: expect.objectContaining({ message: 'no such thing' }),
  })
  const after = await opened({ url })
  expect((await after.reader.introspection.getTables()).map(({ name }) => name)).not.toContain('more')
  expect(await countOf(after.reader, 'events')).toBe(6)
})

it('refuses a database of a newer Drawbridge', async () => {
  const url = await freshDatabase('migrated')
  const future = { ...MIGRATIONS, '999-future': run('create table future (id text)') }
  await opened({ url, migrations: future })
  await expect(openPostgres({ url })).rejects.toMatchObject({
    code: 'database-too-new',
    message: expect.stringContaining('999-future'),
  })
})

it("refuses a database with another program's tables, and changes nothing", async () => {
  const url = await freshDatabase()
  const pool = await openPool({ url, ...POSTGRES_DEFAULTS })
  onTestFinished(() => pool.destroy())
  await sql`create table orders (id int)`.execute(pool)
  await expect(openPostgres({ url })).rejects.toMatchObject({
    code: 'database-unusable',
    message: expect.stringMatching(/has tables of another program \(orders\)\. Nothing was changed\./),
  })
  expect((await pool.introspection.getTables()).map(({ name }) => name)).toEqual(['orders'])
})
