// How much room the database takes, and how what is free goes back to the system.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { isPostgres } from '../dialect.ts'
import type { Database } from '../schema.ts'
import { postgresBytes, postgresBytesOf } from './postgres-space.ts'

/** A few milliseconds of work. */
const PAGES_PER_STEP = 250
/** Kept for the next rows: 1 MiB. */
const SPARE_PAGES = 256

interface Space {
  readonly pages: number
  readonly freePages: number
  readonly pageBytes: number
}

export interface Removed {
  readonly events: number
  readonly frameBytes: number
}

/** How much is used now, given what has been removed since this was made. */
export type UsedNow = (removed: Removed) => Promise<number>

/** SQLite knows at any time. PostgreSQL is asked once: counting is work there. */
export async function measureSpace(db: Kysely<Database>): Promise<UsedNow> {
  if (!isPostgres(db)) return () => usedBytes(db)
  const before = await postgresBytes(db)
  return async (removed) => Math.max(0, before - postgresBytesOf(removed))
}

/** What rows and indexes take; the file may be larger. */
export async function usedBytes(db: Kysely<Database>): Promise<number> {
  if (isPostgres(db)) return postgresBytes(db)
  const { pages, freePages, pageBytes } = await readSpace(db)
  return (pages - freePages) * pageBytes
}

/** In small steps, so that whoever writes hardly waits. PostgreSQL does it by itself (autovacuum). */
export async function giveBackSpace(
  db: Kysely<Database>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<void> {
  if (isPostgres(db)) return
  for (;;) {
    signal?.throwIfAborted()
    const { freePages } = await readSpace(db)
    if (freePages <= SPARE_PAGES) break
    await sql`pragma incremental_vacuum(${sql.lit(Math.min(PAGES_PER_STEP, freePages - SPARE_PAGES))})`.execute(
      db,
    )
    await nextTurn()
  }
  // The file itself becomes shorter only now. Passive: waits for nobody.
  await sql`pragma wal_checkpoint(passive)`.execute(db)
}

async function readSpace(db: Kysely<Database>): Promise<Space> {
  const { rows } = await sql<Space>`
    select (select page_count from pragma_page_count()) as pages,
      (select freelist_count from pragma_freelist_count()) as "freePages",
      (select page_size from pragma_page_size()) as "pageBytes"`.execute(db)
  return rows[0]!
}
