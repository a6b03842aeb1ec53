// One service per data folder. The lock is SQLite's own, on an empty file beside the database: the kernel lets go of it
// when the process dies, however it dies, and children do not inherit it. Who holds it is in a text file next to it.
// The locked file must never be opened and closed by anything but SQLite in the process that holds the lock: with POSIX
// locks that would let go of it. Hence two files.
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { StoreError } from '../store-errors.ts'
import { createPrivately } from './private-files.ts'
import { DatabaseSync } from './sqlite.ts'
import { isBusy } from './sqlite-error.ts'

interface LockHolder {
  readonly pid: number
  readonly since: number
  readonly url: string | null
}

export interface DatabaseLock {
  /** Where the holder can be reached, for whoever comes second. */
  announce(url: string): Promise<void>
  release(): Promise<void>
}

/** Rejects with `data-folder-in-use` at once when somebody has it, and names it as `shown`. */
export async function takeLock(
  file: string,
  now: () => number,
  { shown = file }: { shown?: string } = {},
): Promise<DatabaseLock> {
  await createIfMissing(`${file}.lock`)
  const lock = new DatabaseSync(`${file}.lock`, { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory; begin immediate')
  } catch (error) {
    lock.close()
    throw isBusy(error) ? inUse(shown, await readHolder(file), error) : error
  }
  const holder = { pid: process.pid, since: now(), url: null }
  await writeHolder(file, holder)
  return {
    announce: (url) => writeHolder(file, { ...holder, url }),
    async release() {
      if (!lock.isOpen) return
      await rm(holderFile(file), { force: true })
      lock.close()
    },
  }
}

async function createIfMissing(file: string): Promise<void> {
  await createPrivately(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

function holderFile(file: string): string {
  return `${file}.lock.json`
}

async function writeHolder(file: string, holder: LockHolder): Promise<void> {
  const unfinished = `${holderFile(file)}.tmp`
  await writeFile(unfinished, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
  await rename(unfinished, holderFile(file))
}

/** null when it is not known: nothing is written yet, or what is there was left by a process that is gone. */
async function readHolder(file: string): Promise<LockHolder | null> {
  try {
    const holder = JSON.parse(await readFile(holderFile(file), 'utf8')) as LockHolder
    return isAlive(holder.pid) ? holder : null
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function inUse(shown: string, holder: LockHolder | null, cause: unknown): StoreError {
  const who = holder ? describe(holder) : 'another process that has just started'
  const advice = holder
    ? `Use that one, stop it (drawbridge stop, or kill ${holder.pid}), or choose another data folder.`
    : 'Use that one, stop it, or choose another data folder.'
  return new StoreError('data-folder-in-use', `${shown} is in use by ${who}. ${advice}`, {
    details: { holder },
    cause,
  })
}

function describe({ pid, since, url }: LockHolder): string {
  const start = new Date(since).toISOString()
  return `process ${pid}, since ${start}${url ? `, at ${url}` : ''}`
}
