// Both databases, for tests that must hold on either: `describe.each(STORES)('on $name', ({ make }) => …)`.
import { type Kysely, sql } from 'kysely'
import { onTestFinished } from 'vitest'
import { makeScratchStore } from '../../src/store/fixtures/scratch-store.ts'
import type { Migrations } from '../../src/store/migrate.ts'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'
import { migratePostgres } from '../../src/store/postgres/migrate-postgres.ts'
import { openPostgres, POSTGRES_DEFAULTS } from '../../src/store/postgres/open-postgres.ts'
import { openPool } from '../../src/store/postgres/pool.ts'
import type { Database } from '../../src/store/schema.ts'
import { checkDatabase } from '../../src/store/sqlite/check.ts'
import { createAt } from '../../src/store/sqlite/create.ts'
import { makePrivate } from '../../src/store/sqlite/private-files.ts'
import { INVARIANTS } from '../../src/store/upkeep/invariants.ts'
import { freshDatabase } from './postgres/fresh-database.ts'

interface OpenStore {
  readonly db: Kysely<Database>
  readonly reader: Kysely<Database>
  close(): Promise<void>
}

/** A database that does not have a schema yet. Closed and removed when the test has finished. */
export interface TestStore {
  open(options?: { migrations?: Migrations }): Promise<OpenStore>
  /** As this step left it, and not a step further. */
  openAt(step: string): Promise<OpenStore>
  /** What is wrong with the rows, in sentences. */
  check(): Promise<string[]>
}

export const STORES = [
  { name: 'SQLite', make: makeSqlite },
  { name: 'PostgreSQL', make: makePostgres },
] as const

async function makeSqlite(): Promise<TestStore> {
  const store = await makeScratchStore()
  onTestFinished(() => store.remove())
  return {
    open: (options) => store.open(options),
    async openAt(step) {
      await makePrivate([store.file])
      const { db, close } = await createAt(store.file, MIGRATIONS, step)
      return { db, reader: db, close }
    },
    check: async () => (await checkDatabase(store.file)).map(({ message }) => message),
  }
}

async function makePostgres(): Promise<TestStore> {
  let url: string | null = null
  const opened: OpenStore[] = []
  onTestFinished(async () => {
    for (const { close } of opened) await close()
  })
  const kept = <T extends OpenStore>(store: T): T => {
    let closed: Promise<void> | null = null
    const close = () => (closed ??= store.close())
    opened.push({ ...store, close })
    return { ...store, close }
  }
  return {
    async open(options = {}) {
      url ??= await freshDatabase(options.migrations ? 'empty' : 'migrated')
      return kept(await openPostgres({ url, poolSize: 4, ...options }))
    },
    async openAt(step) {
      url ??= await freshDatabase()
      const db = await openPool({ url, ...POSTGRES_DEFAULTS })
      await migratePostgres(db, { shown: 'the test', migrations: MIGRATIONS, upTo: step })
      return kept({ db, reader: db, close: () => db.destroy() })
    },
    async check() {
      const findings: string[] = []
      for (const { table, id, broken, says } of INVARIANTS) {
        // PostgreSQL has its own words for this one, since 16.
        const here = broken.replace('not json_valid(frame)', 'frame is not json')
        const select = sql.raw<{ id: string }>(`select distinct ${id} as id from ${table} where ${here}`)
        findings.push(...(await select.execute(opened[0]!.reader)).rows.map((row) => says(row.id)))
      }
      return findings
    },
  }
}
