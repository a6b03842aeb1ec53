// How much room the database takes, and how what is free goes back to the system. SQLite's own words.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** A few milliseconds of work. */
const PAGES_PER_STEP = 250
/** Kept for the next rows: 1 MiB. */
const SPARE_PAGES = 256

interface Space {
  readonly pages: number
  readonly freePages: number
  readonly pageBytes: number
}

/** What rows and indexes take; the file may be larger. */
export async function usedBytes(db: Kysely<Database>): Promise<number> {
  const { pages, freePages, pageBytes } = await readSpace(db)
  return (pages - freePages) * pageBytes
}

/** In small steps, so that whoever writes hardly waits. */
export async function giveBackSpace(
  db: Kysely<Database>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<void> {
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
