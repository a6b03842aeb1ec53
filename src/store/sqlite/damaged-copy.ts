// Opens a copy of a damaged database, so that the damaged one stays as it is, in whichever way lets its tables be found.
import { constants } from 'node:fs'
import { copyFile, truncate } from 'node:fs/promises'
import type { Migrations } from '../migrate.ts'
import { createAt } from './create.ts'
import { readMigrations, tablesOf } from './salvage.ts'
import { graftSchema } from './schema-graft.ts'
import { sizeOf } from './soundness.ts'
import { DatabaseSync } from './sqlite.ts'
import { PAGE_BYTES, removeFiles } from './sqlite-file.ts'

export interface DamagedCopy {
  readonly database: DatabaseSync
  /** It had to be completed with parts of an empty database: what is missing cannot be noticed by reading. */
  readonly isPatched: boolean
}

type Build = (file: string, copy: string, migrations: Migrations) => Promise<void>

const WAYS: readonly { readonly build: Build; readonly isPatched: boolean }[] = [
  { build: withLog, isPatched: false },
  { build: withoutLog, isPatched: false },
  { build: logOnEmpty, isPatched: true },
  { build: withoutSchema, isPatched: true },
]

/** null when nothing in it can be found. Whoever has it open closes it and removes the copy. */
export async function openDamagedCopy(
  file: string,
  copy: string,
  migrations: Migrations,
): Promise<DamagedCopy | null> {
  for (const { build, isPatched } of WAYS) {
    await removeFiles(copy)
    await build(file, copy, migrations)
    const database = openLeniently(copy)
    if (database) return { database, isPatched }
  }
  return null
}

/** As it is: file and write-ahead log. */
async function withLog(file: string, copy: string): Promise<void> {
  await copyWholePages(file, copy)
  await copyIfThere(`${file}-wal`, `${copy}-wal`)
}

async function withoutLog(file: string, copy: string): Promise<void> {
  await copyWholePages(file, copy)
}

/** The file is gone or is no database; what was written since it was last brought up to date is in the log. */
async function logOnEmpty(file: string, copy: string, migrations: Migrations): Promise<void> {
  if (!(await sizeOf(`${file}-wal`))) return
  const empty = await createAt(copy, migrations)
  await empty.close()
  await copyIfThere(`${file}-wal`, `${copy}-wal`)
}

/** The tables cannot be found, but where they must be is known for each schema. */
async function withoutSchema(file: string, copy: string, migrations: Migrations): Promise<void> {
  if (!(await sizeOf(file))) return
  await graft(file, copy, migrations)
  const grafted = openLeniently(copy)
  const last = grafted && readMigrations(grafted).sort().at(-1)
  grafted?.close()
  if (last && last in migrations) await graft(file, copy, migrations, last)
}

async function graft(file: string, copy: string, migrations: Migrations, upTo?: string): Promise<void> {
  const empty = `${copy}.empty`
  try {
    await (await createAt(empty, migrations, upTo)).close()
    await removeFiles(copy)
    await copyWholePages(file, copy)
    await graftSchema(empty, copy)
  } finally {
    await removeFiles(empty)
  }
}

/** `writable_schema` lets SQLite go on where it would refuse the whole file, as when its end is missing. */
function openLeniently(file: string): DatabaseSync | null {
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(file, { enableForeignKeyConstraints: false, defensive: false })
    database.exec('pragma writable_schema = on; pragma cell_size_check = on')
    if (tablesOf(database).length > 0 || readMigrations(database).length > 0) return database
  } catch {
    // not this way
  }
  database?.close()
  return null
}

/** Half a page at its end is left out: SQLite would take the other half for zeros and give rows that never were. */
async function copyWholePages(from: string, to: string): Promise<void> {
  const size = await sizeOf(from)
  if (size === null) return
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  await truncate(to, size - (size % PAGE_BYTES))
}

async function copyIfThere(from: string, to: string): Promise<void> {
  if ((await sizeOf(from)) !== null) await copyFile(from, to, constants.COPYFILE_FICLONE)
}
