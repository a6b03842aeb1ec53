// The database of an end-to-end test: SQLite in its data folder, or PostgreSQL in the project that runs the tests on that.
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { openExchange, openPostgres } from '../../src/store/index.ts'
import type { OpenPostgresOptions } from '../../src/store/postgres/open-postgres.ts'
import { FLEET_DEFAULTS, type FleetOptions, type OpenDatabase, openDatabase } from '../../src/tasks/index.ts'
import { freshDatabase } from './postgres/fresh-database.ts'

/** Set by the vitest project. */
export function isOnPostgres(): boolean {
  return process.env.DRAWBRIDGE_TEST_STORE === 'postgres'
}

interface TestStore {
  /** Can be opened again after it was closed, as by a service that is restarted. */
  open(): Promise<Pick<OpenDatabase, 'db' | 'reader' | 'close'> & { readonly fleet: FleetOptions | null }>
  /** Whether a text is anywhere in the files of the service, unused pages included, or in a row of its database. */
  has(text: string): Promise<boolean>
}

export async function testStore(dataDir: string): Promise<TestStore> {
  if (!isOnPostgres())
    return {
      open: async () => ({ ...(await openDatabase({ dataDir, now: Date.now })), fleet: null }),
      has: (text) => isInFiles(dataDir, text),
    }
  const url = await freshDatabase('migrated')
  return {
    open: () => openShared(url, 'worker-a'),
    has: async (text) => (await isInFiles(dataDir, text)) || (await isInRows(url, text)),
  }
}

/** A PostgreSQL as one worker has it. */
export async function openShared(
  url: string,
  id: string,
  {
    onError = fail,
    migrations,
    ...fleet
  }: Partial<FleetOptions> & {
    onError?: ((error: unknown) => void) | undefined
    /** Of another version of Drawbridge. */
    migrations?: OpenPostgresOptions['migrations']
  } = {},
) {
  const database = await openPostgres({ url, migrations })
  const { db, reader } = database
  const exchange = await openExchange({
    url,
    db,
    reader,
    self: `${id} ${randomUUID()}`,
    pollMs: 1_000,
    onError,
  })
  const options: FleetOptions = {
    ...{ id, place: `folder of ${id}`, name: id, machine: 'test', labels: [], exchange, url: () => null },
    ...FLEET_DEFAULTS,
    ...fleet,
  }
  const close = async () => {
    await exchange.close()
    await database.close()
  }
  return { db, reader, close, fleet: options }
}

function fail(error: unknown): never {
  throw error
}

/** For the environment of a service: the address of a database of its own, which is gone when the test has finished. */
export async function databaseEnv(): Promise<Record<string, string>> {
  return isOnPostgres() ? { DATABASE_URL: await freshDatabase('migrated') } : {}
}

async function isInFiles(folder: string, text: string): Promise<boolean> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const file of files)
    if (file.isFile() && (await readFile(path.join(file.parentPath, file.name))).includes(text)) return true
  return false
}

/** Whether a text is in a row of any table. */
export async function isInRows(url: string, text: string): Promise<boolean> {
  const { db, close } = await openPostgres({ url, poolSize: 1 })
  try {
    for (const { name } of await db.introspection.getTables()) {
      const found = await sql<{ count: number }>`
        select count(*) as count from ${sql.table(name)} as it where strpos(it::text, ${text}) > 0`.execute(
        db,
      )
      if (found.rows[0]!.count > 0) return true
    }
    return false
  } finally {
    await close()
  }
}
