// Opens SQLite files the way this room wants them. While one is open in this process, nothing but SQLite may open and
// close it: with POSIX locks that would let go of all locks the process has on it.
import { rm } from 'node:fs/promises'
import { Kysely } from 'kysely'
import type { Database } from '../schema.ts'
import { DatabaseSync } from './sqlite.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

/** How long a statement waits for another process that writes. */
const BUSY_TIMEOUT_MS = 5_000

/** SQLite's own default, written down because repairs count on it. */
export const PAGE_BYTES = 4096

/**
 * Incremental vacuum must be chosen before there is a table, or a file never shrinks. NORMAL: a commit survives the
 * death of the process; a power cut may take the last ones, never the file. No memory mapping: with it a disk error or
 * a shortened file ends the process (SIGBUS) instead of failing a query. Secure delete: what was taken out, a raw input
 * with a key in it, say, must not stay in the file as free space. Checkpoints every 16 MB: deltas that a completed item
 * deletes again are then mostly written to the file once.
 */
const WRITER_SETTINGS = `
  pragma page_size = ${PAGE_BYTES};
  pragma auto_vacuum = incremental;
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma wal_autocheckpoint = 4000;
  pragma journal_size_limit = 67108864;
  pragma cache_size = -32768;
  pragma temp_store = memory;
  pragma secure_delete = on;
`
const READER_SETTINGS = `
  pragma cache_size = -16384;
  pragma temp_store = memory;
`

export interface SqliteFile {
  readonly database: DatabaseSync
  readonly db: Kysely<Database>
  /** Waits for what was asked for before. */
  close(): Promise<void>
}

/** The file should be there, if only empty: made by SQLite it would be open to others. */
export function openWriter(file: string): SqliteFile {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  return configured(database, WRITER_SETTINGS, 'immediate')
}

/** Changes nothing, and works beside a writer in another process. */
export function openReader(file: string): SqliteFile {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true })
  return configured(database, READER_SETTINGS, 'deferred')
}

function configured(database: DatabaseSync, settings: string, begin: 'immediate' | 'deferred'): SqliteFile {
  try {
    database.exec(settings)
  } catch (error) {
    database.close()
    throw error
  }
  const db = new Kysely<Database>({ dialect: sqliteDialect({ database, begin }) })
  const close = async () => {
    await db.destroy()
    if (database.isOpen) database.close() // Kysely leaves alone what it was never asked to use
  }
  return { database, db, close }
}

/** The file, and what SQLite keeps beside it. */
export function filesOf(file: string): readonly string[] {
  return [file, `${file}-wal`, `${file}-shm`]
}

export async function removeFiles(file: string): Promise<void> {
  for (const each of filesOf(file)) await rm(each, { force: true })
}
