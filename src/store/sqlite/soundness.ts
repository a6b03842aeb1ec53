// Is what is in the file a database that can be used? Looks without changing a byte of it.
import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import { doneMigrations, type Migrations, refuseNewer } from '../migrate.ts'
import { StoreError } from '../store-errors.ts'
import { isDamage } from './sqlite-error.ts'
import { openReader, PAGE_BYTES, type SqliteFile } from './sqlite-file.ts'
import { unusable } from './unusable.ts'

/** A quick check reads about 1 GB a second from memory, and far less from a slow disk. */
const MAX_WHOLE_CHECK_BYTES = 256 * 1024 * 1024
/** Nearly all of a large database. */
const LARGE_TABLE = 'events'

export interface SoundnessOptions {
  readonly migrations: Migrations
  /** Also every page of a large file. */
  readonly isThorough: boolean
}

/** What is wrong with it, in one sentence; null when nothing is. Rejects when it is not ours to use. */
export async function findDamage(file: string, options: SoundnessOptions): Promise<string | null> {
  const size = await sizeOf(file)
  if (size === null)
    return (await sizeOf(`${file}-wal`)) ? 'the file is gone, what was last written is not' : null
  if (size === 0) return 'the file is empty'
  let opened: SqliteFile | null = null
  try {
    opened = openReader(file)
    const done = await doneMigrations(opened.db)
    refuseNewer(done, { file, migrations: options.migrations })
    if (done.length === 0) await refuseForeign(opened, file)
    const isWhole = options.isThorough || size <= MAX_WHOLE_CHECK_BYTES
    return (await quickCheck(opened, isWhole)) ?? (await findTornEnd(file, size))
  } catch (error) {
    if (isDamage(error)) return (error as Error).message
    throw error instanceof StoreError ? error : unusable(file, error)
  } finally {
    await opened?.close()
  }
}

async function quickCheck({ db }: SqliteFile, isWhole: boolean): Promise<string | null> {
  const tables = await db.introspection.getTables()
  const checks = isWhole
    ? [sql<{ quick_check: string }>`pragma quick_check(1)`]
    : tables
        .filter(({ name }) => name !== LARGE_TABLE)
        .map(({ name }) => sql<{ quick_check: string }>`pragma quick_check(${sql.table(name)})`)
  for (const check of checks) {
    const { rows } = await check.execute(db)
    if (rows[0]?.quick_check !== 'ok') return rows[0]?.quick_check ?? 'the check said nothing'
  }
  return null
}

/** SQLite takes what is missing of a page for zeros, and rows end where pages end. While there is a log, it has the page. */
async function findTornEnd(file: string, size: number): Promise<string | null> {
  const isTorn = size % PAGE_BYTES !== 0 && !(await sizeOf(`${file}-wal`))
  return isTorn ? 'the file ends in the middle of a page' : null
}

async function refuseForeign({ db }: SqliteFile, file: string): Promise<void> {
  const tables = await db.introspection.getTables()
  if (tables.length > 0)
    throw new StoreError('database-unusable', `${file} is a database, but not one of Drawbridge's`)
}

/** null when it is not there. */
export async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
