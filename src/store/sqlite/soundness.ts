// Is what is in the file a database that can be used? Looks without changing a byte of it.
import { stat } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { doneMigrations, type Migrations, refuseNewer } from '../migrate.ts'
import type { Database } from '../schema.ts'
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
  /** `integrity_check` of the whole file, however large: also what is in its indexes. */
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
    return (await check(opened, { ...options, size })) ?? (await findTornEnd(file, size))
  } catch (error) {
    if (isDamage(error)) return (error as Error).message
    throw error instanceof StoreError ? error : unusable(file, error)
  } finally {
    await opened?.close()
  }
}

async function check(
  { db }: SqliteFile,
  { isThorough, size }: { isThorough: boolean; size: number },
): Promise<string | null> {
  if (isThorough) return problemOf(db, 'integrity_check(1)')
  if (size <= MAX_WHOLE_CHECK_BYTES) return problemOf(db, 'quick_check(1)')
  for (const { name } of await db.introspection.getTables()) {
    const problem = name === LARGE_TABLE ? null : await problemOf(db, `quick_check("${name}")`)
    if (problem !== null) return problem
  }
  return null
}

async function problemOf(db: Kysely<Database>, pragma: string): Promise<string | null> {
  const { rows } = await sql.raw<Record<string, string>>(`pragma ${pragma}`).execute(db)
  const [verdict = 'the check said nothing'] = Object.values(rows[0] ?? {})
  return verdict === 'ok' ? null : verdict
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
