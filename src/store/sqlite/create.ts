import { rename } from 'node:fs/promises'
import path from 'node:path'
import { applyMigrations, type Migrations } from '../migrate.ts'
import { createPrivately, syncFolder } from './private-files.ts'
import { openWriter, removeFiles, type SqliteFile } from './sqlite-file.ts'

/** Under its name only when it is whole, so that an empty file always means damage. */
export async function createDatabase(file: string, migrations: Migrations): Promise<void> {
  const unfinished = `${file}.new`
  const opened = await createAt(unfinished, migrations)
  await opened.close()
  await rename(unfinished, file)
  await syncFolder(path.dirname(file))
}

/** In place of what may be there; open. */
export async function createAt(file: string, migrations: Migrations, upTo?: string): Promise<SqliteFile> {
  await removeFiles(file)
  await createPrivately(file)
  const opened = openWriter(file)
  try {
    await applyMigrations(opened.db, migrations, upTo)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}
