// What happens to a damaged database: it is set aside as it is, never changed or deleted, and the service goes on with the
// newest good backup and what can be read of the damaged file. Cut short at any moment, the next start does it again or
// finishes it.
import { constants } from 'node:fs'
import { copyFile, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { applyMigrations, doneMigrations, type Migrations, refuseNewer } from '../migrate.ts'
import { createAt } from './create.ts'
import { fileTime } from './file-time.ts'
import { copiesOf } from './kept-copies.ts'
import { syncFolder } from './private-files.ts'
import { type Salvaged, salvage, tablesOf } from './salvage.ts'
import { findDamage, sizeOf } from './soundness.ts'
import { DatabaseSync } from './sqlite.ts'
import { isDiskFull } from './sqlite-error.ts'
import { openWriter, PAGE_BYTES, removeFiles, type SqliteFile } from './sqlite-file.ts'

/** For people to be told. Stays beside the damaged file, as `<setAside>.json`. */
export interface Repair extends Salvaged {
  /** What was wrong. */
  readonly damage: string
  /** Where the damaged file is now; what was not yet written into it is beside it, with `-wal`. */
  readonly setAside: string
  /** The copy that the rest comes from, and when it was made; null when there was no good one. */
  readonly backup: { readonly file: string; readonly at: number } | null
}

export interface RepairOptions {
  readonly migrations: Migrations
  readonly now: () => number
}

/** The file can be opened afterwards. Rejects, with everything as it was, for one of a newer Drawbridge. */
export async function repairDatabase(file: string, damage: string, options: RepairOptions): Promise<Repair> {
  const setAside = `${file}.damaged-${fileTime(options.now())}`
  const repair: Repair = { damage, setAside, ...(await buildNew(file, options.migrations)) }
  await writeFile(`${reportFile(file)}.tmp`, JSON.stringify(repair), { mode: 0o600, flush: true })
  await rename(`${reportFile(file)}.tmp`, reportFile(file))
  await exchange(file, setAside)
  return repair
}

/** What an earlier process had ready but did not get to put in place; null when there is none. */
export async function finishRepair(file: string): Promise<Repair | null> {
  const text = await readFile(reportFile(file), 'utf8').catch(() => null)
  if (text === null) return null
  const repair = JSON.parse(text) as Repair
  await exchange(file, repair.setAside)
  return repair
}

/** The reports that are still beside damaged files, oldest first. One that cannot be read is left out. */
export async function listRepairs(file: string): Promise<Repair[]> {
  const start = `${path.basename(file)}.damaged-`
  const names = await readdir(path.dirname(file)).catch(() => [])
  const reports = names.filter((name) => name.startsWith(start) && name.endsWith('.json')).sort()
  const read = async (name: string) =>
    JSON.parse(await readFile(path.join(path.dirname(file), name), 'utf8')) as Repair
  const found = await Promise.allSettled(reports.map(read))
  return found.flatMap((report) => (report.status === 'fulfilled' ? [report.value] : []))
}

async function buildNew(file: string, migrations: Migrations): Promise<Omit<Repair, 'damage' | 'setAside'>> {
  const copy = `${file}.salvaging`
  const damaged = await openDamaged(file, copy)
  try {
    const done = damaged ? stepsOf(damaged) : []
    refuseNewer(done, { file, migrations })
    const { backup, target } = await openBase(file, { migrations, step: done.at(-1) })
    try {
      const salvaged = salvage(damaged, target.database)
      const isLogLost = Boolean(await sizeOf(`${file}-wal`)) && !(await sizeOf(`${copy}-wal`))
      return { backup, ...salvaged, ...(isLogLost && { incomplete: Object.keys(salvaged.salvaged) }) }
    } finally {
      await target.close()
    }
  } finally {
    damaged?.close()
    await removeFiles(copy)
  }
}

/** A copy of it, with its log or, when that does not help, without; null when no table can be found. */
async function openDamaged(file: string, copy: string): Promise<DatabaseSync | null> {
  for (const suffixes of [['', '-wal'], ['']]) {
    await removeFiles(copy)
    for (const suffix of suffixes)
      if (await sizeOf(`${file}${suffix}`))
        await copyFile(`${file}${suffix}`, `${copy}${suffix}`, constants.COPYFILE_FICLONE)
    let database: DatabaseSync | null = null
    try {
      await cutToWholePages(copy)
      database = new DatabaseSync(copy, { readOnly: true })
      database.exec('pragma cell_size_check = on')
      if (tablesOf(database).length > 0) return database
    } catch {
      // not this way
    }
    database?.close()
  }
  return null
}

/**
 * SQLite would take what is missing of the last page for zeros and give rows that never were. And it refuses a file with
 * fewer pages than its header says, unless that says 0 (https://sqlite.org/fileformat2.html, 1.3.8).
 */
async function cutToWholePages(copy: string): Promise<void> {
  const handle = await open(copy, 'r+')
  try {
    const { size } = await handle.stat()
    await handle.truncate(size - (size % PAGE_BYTES))
    await handle.write(Buffer.alloc(4), 0, 4, 28)
  } finally {
    await handle.close()
  }
}

/** As far as they can be read. */
function stepsOf(damaged: DatabaseSync): string[] {
  try {
    const rows = damaged.prepare('select name from kysely_migration order by name').all()
    return rows.map(({ name }) => String(name))
  } catch {
    return []
  }
}

interface BaseOptions {
  readonly migrations: Migrations
  /** The step of the damaged file, if known: the schema that the new file gets. */
  readonly step: string | undefined
}

async function openBase(
  file: string,
  options: BaseOptions,
): Promise<{ backup: Repair['backup']; target: SqliteFile }> {
  for (const copy of await copiesOf(file)) {
    const target = await openBackup(copy.file, newFile(file), options)
    if (target) return { backup: { file: copy.file, at: copy.at }, target }
  }
  return { backup: null, target: await createAt(newFile(file), options.migrations, options.step) }
}

/** null when it is damaged, not ours, or of a later step than the damaged file. */
async function openBackup(
  backup: string,
  to: string,
  { migrations, step }: BaseOptions,
): Promise<SqliteFile | null> {
  let target: SqliteFile | null = null
  try {
    await removeFiles(to)
    await copyFile(backup, to, constants.COPYFILE_FICLONE)
    if ((await findDamage(to, { migrations, isThorough: true })) !== null) return null
    target = openWriter(to)
    const has = (await doneMigrations(target.db)).at(-1)!
    if (step === undefined || has <= step) {
      await applyMigrations(target.db, migrations, step ?? has)
      return target
    }
  } catch (error) {
    if (isDiskFull(error)) throw error
  }
  await target?.close()
  return null
}

/** Does what is left to do, so that it can be called again. */
async function exchange(file: string, setAside: string): Promise<void> {
  if ((await sizeOf(newFile(file))) !== null) {
    // The log first: beside the new file it would be taken for the new file's.
    await moveIfThere(`${file}-wal`, `${setAside}-wal`)
    await rm(`${file}-shm`, { force: true })
    await moveIfThere(file, setAside)
    await rename(newFile(file), file)
    await syncFolder(path.dirname(file))
  }
  await rename(reportFile(file), `${setAside}.json`)
}

async function moveIfThere(from: string, to: string): Promise<void> {
  if ((await sizeOf(from)) !== null) await rename(from, to)
}

function newFile(file: string): string {
  return `${file}.salvaged`
}

/** Its being there says that the new file is whole. */
function reportFile(file: string): string {
  return `${file}.repair.json`
}
