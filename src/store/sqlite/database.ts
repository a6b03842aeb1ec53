import path from 'node:path'
import type { Kysely } from 'kysely'
import { type Migrated, type Migrations, migrateExisting } from '../migrate.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import type { Database } from '../schema.ts'
import { createDatabase } from './create.ts'
import { type DatabaseLock, takeLock } from './lock.ts'
import { makePrivate } from './private-files.ts'
import { finishRepair, type Repair, repairDatabase } from './repair.ts'
import { findDamage, sizeOf } from './soundness.ts'
import { filesOf, openReader, openWriter } from './sqlite-file.ts'
import { unusableIfRefused } from './unusable.ts'

type DatabasePlace = { readonly file: string } | { readonly dataDir: string }

export type OpenDatabaseOptions = DatabasePlace & {
  readonly now: () => number
  /** Looks at every page, however large the file: seconds for gigabytes. Default false. */
  readonly isThorough?: boolean | undefined
  readonly migrations?: Migrations | undefined
}

export interface OpenDatabase {
  readonly file: string
  /** The only writer. `db.transaction()` holds the write lock from its begin; others wait in order. */
  readonly db: Kysely<Database>
  /** For pages, lists and searches: never waits for a transaction of `db`, and sees what is committed at once. */
  readonly reader: Kysely<Database>
  /** What was found damaged and what became of it; null when all was well. People should be told. */
  readonly repair: Repair | null
  /** From which schema it was brought to this one; null when it had it already. */
  readonly migrated: Migrated | null
  /** Where we can be reached, for a second service that wants this data folder. */
  announce(url: string): Promise<void>
  /** Waits for what was asked for before, then lets go of the folder. */
  close(): Promise<void>
}

export function databaseFile(place: DatabasePlace): string {
  return 'file' in place ? path.resolve(place.file) : path.resolve(place.dataDir, 'drawbridge.db')
}

/**
 * For the one service of this data folder, until it closes or dies. Rejects with a `StoreError`: `data-folder-in-use`,
 * `database-too-new`, `database-unusable` or `migration-failed`. Damage is no reason to reject: see `repair`.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const file = databaseFile(options)
  try {
    await makePrivate(filesOf(file))
    return await lockAndOpen(file, options)
  } catch (error) {
    throw unusableIfRefused(file, error)
  }
}

async function lockAndOpen(file: string, options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const lock = await takeLock(file, options.now)
  try {
    return await openLocked(file, lock, options)
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function openLocked(
  file: string,
  lock: DatabaseLock,
  { now, migrations = MIGRATIONS, isThorough = false }: OpenDatabaseOptions,
): Promise<OpenDatabase> {
  const repair = await makeSound(file, { now, migrations, isThorough })
  const writer = openWriter(file)
  try {
    const migrated = await migrateExisting(writer.db, { file, migrations, now })
    const reader = openReader(file)
    const close = once(async () => {
      await reader.close()
      await writer.close()
      await lock.release()
    })
    const announce = (url: string) => lock.announce(url)
    return { file, db: writer.db, reader: reader.db, repair, migrated, announce, close }
  } catch (error) {
    await writer.close()
    throw error
  }
}

async function makeSound(
  file: string,
  options: { now: () => number; migrations: Migrations; isThorough: boolean },
): Promise<Repair | null> {
  const finished = await finishRepair(file)
  if (finished) return finished
  const damage = await findDamage(file, options)
  if (damage !== null) return repairDatabase(file, damage, options)
  if ((await sizeOf(file)) === null) await createDatabase(file, options.migrations)
  return null
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => (done ??= action())
}
