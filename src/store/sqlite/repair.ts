// What happens to a damaged database: it is set aside as it is, never deleted, and what can be read of it goes on in a
// new file. Cut short at any moment, the next start does it again or finishes it.
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Migrations, refuseNewer } from '../migrate.ts'
import { createAt } from './create.ts'
import { openDamagedCopy } from './damaged-copy.ts'
import { fileTime } from './file-time.ts'
import { syncFolder } from './private-files.ts'
import { readMigrations, type Salvaged, salvage, tablesOf } from './salvage.ts'
import { sizeOf } from './soundness.ts'
import { removeFiles } from './sqlite-file.ts'

/** For people to be told. */
export interface Repair {
  /** What was wrong. */
  readonly damage: string
  /** Where the damaged file is now; what was not yet written into it is beside it, with `-wal`. */
  readonly setAside: string
  /** Rows that go on in the new file, by table. All zero: nothing could be read. */
  readonly salvaged: Readonly<Record<string, number>>
  /** Tables of which rows were lost, or may have been. */
  readonly incomplete: readonly string[]
}

export interface RepairOptions {
  readonly migrations: Migrations
  readonly now: () => number
}

/** The file can be opened afterwards. Rejects, with everything as it was, for one of a newer Drawbridge. */
export async function repairDatabase(file: string, damage: string, options: RepairOptions): Promise<Repair> {
  const setAside = `${file}.damaged-${fileTime(options.now())}`
  const { rows, incomplete } = await buildNew(file, options.migrations)
  const repair: Repair = { damage, setAside, salvaged: rows, incomplete }
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

async function buildNew(file: string, migrations: Migrations): Promise<Salvaged> {
  const copy = `${file}.salvaging`
  const damaged = await openDamagedCopy(file, copy, migrations)
  try {
    const done = damaged ? readMigrations(damaged.database) : []
    refuseNewer(done, { file, migrations })
    const target = await createAt(newFile(file), migrations, done.sort().at(-1))
    try {
      const tables = tablesOf(target.database)
      if (!damaged) return { rows: Object.fromEntries(tables.map((name) => [name, 0])), incomplete: tables }
      const salvaged = salvage(damaged.database, target.database)
      return damaged.isPatched ? { ...salvaged, incomplete: tables } : salvaged
    } finally {
      await target.close()
    }
  } finally {
    damaged?.database.close()
    await removeFiles(copy)
  }
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
  await rm(reportFile(file), { force: true })
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
