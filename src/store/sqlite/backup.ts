// A copy of the database while it is in use. Only reads: it works beside a running service, in or out of its process.
import { access, open, realpath, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { StoreError } from '../store-errors.ts'
import { createPrivately, syncFolder } from './private-files.ts'
import { backup, DatabaseSync } from './sqlite.ts'
import { isDiskFull } from './sqlite-error.ts'
import { filesOf, openReader, removeFiles } from './sqlite-file.ts'
import { whyUnusable } from './unusable.ts'

/** Copied between two looks at the clock; small enough that progress is seen, large enough to be quick. */
const PAGES_PER_STEP = 2_000

export interface BackupOptions {
  readonly file: string
  readonly to: string
  /** Default false: a file that is there is left alone and the backup refused. */
  readonly overwrite?: boolean | undefined
  readonly onProgress?: ((progress: BackupProgress) => void) | undefined
}

interface BackupProgress {
  readonly copiedPages: number
  readonly totalPages: number
}

export interface Backup {
  readonly file: string
  readonly bytes: number
}

/** What was committed when it began. The copy is there whole and checked, or not at all. */
export async function backupDatabase(options: BackupOptions): Promise<Backup> {
  const { file, to, overwrite = false } = options
  if (!(await exists(file)))
    throw new StoreError('database-not-found', `there is no database at ${file}; nothing to back up`)
  await refuseBadTarget(file, to, overwrite)
  const unfinished = `${to}.${process.pid}.unfinished`
  try {
    await removeFiles(unfinished)
    await createPrivately(unfinished)
    await copyPages(options, unfinished)
    verify(unfinished)
    await sync(unfinished)
    await refuseBadTarget(file, to, overwrite)
    await removeLog(to)
    await rename(unfinished, to)
    await syncFolder(path.dirname(to))
    return { file: to, bytes: (await stat(to)).size }
  } catch (cause) {
    await removeFiles(unfinished)
    if (cause instanceof StoreError) throw cause
    const why = isDiskFull(cause) ? (cause as Error).message : whyUnusable(file, cause)
    throw new StoreError('backup-failed', `cannot back up ${file} to ${to}: ${why}`, { cause })
  }
}

/**
 * The read transaction holds the moment. Without it SQLite starts over whenever another connection writes, and beside a
 * busy service would never be done.
 */
async function copyPages({ file, onProgress }: BackupOptions, to: string): Promise<void> {
  const { database } = openReader(file)
  try {
    database.exec('begin; select count(*) from sqlite_master')
    await backup(database, to, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) =>
        onProgress?.({ totalPages, copiedPages: totalPages - remainingPages }),
    })
  } finally {
    database.close()
  }
}

/** Also makes it one file that needs nothing beside it. */
function verify(file: string): void {
  const copy = new DatabaseSync(file)
  try {
    copy.exec('pragma journal_mode = delete')
    const [first] = copy.prepare('pragma integrity_check(1)').all()
    if (first?.integrity_check === 'ok') return
    throw new StoreError(
      'backup-failed',
      `the copy is damaged, as the database may be: ${first?.integrity_check}`,
    )
  } finally {
    copy.close()
  }
}

async function refuseBadTarget(file: string, to: string, overwrite: boolean): Promise<void> {
  const found = await Promise.all(filesOf(to).map(exists))
  if (found[0] && (await realpath(to)) === (await realpath(file)))
    throw new StoreError('backup-failed', `${to} is the database itself`)
  if (found.includes(true) && !overwrite)
    throw new StoreError(
      'backup-exists',
      `${to} exists. Choose another file, or say that it may be overwritten.`,
    )
}

/** One that was left there would be taken for the copy's. */
async function removeLog(file: string): Promise<void> {
  for (const each of filesOf(file).slice(1)) await rm(each, { force: true })
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
