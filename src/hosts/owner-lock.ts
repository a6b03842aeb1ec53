// A lock between processes: a file that names its owner. One whose owner is dead is nobody's.
import { randomUUID } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { identify, isAlive } from './processes.ts'

const ENDING = '.lock'

/** Takes the lock and gives how to let go of it; null when a living process has it. Throws when it cannot be written. */
export function tryLock(file: string): (() => void) | null {
  const us = identify(process.pid) ?? { pid: process.pid, start: '' }
  const text = JSON.stringify({ ...us, token: randomUUID() })
  if (isDead(readLock(file))) removeDead(file)
  return create(file, text) ? () => read(file) === text && rmSync(file, { force: true }) : null
}

/** Removes the locks in this folder whose owners are dead. */
export function removeDeadLocks(folder: string): void {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(ENDING))
    for (const file of names.map((name) => path.join(folder, name))) {
      if (isDead(readLock(file))) removeDead(file)
    }
  } catch {} // no such folder, or not ours: then there is nothing to do here
}

/** Whole or not at all: a link is made to a file that is already complete. */
function create(file: string, text: string): boolean {
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, text, { mode: 0o600 })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Somebody else may have done so in between and taken the lock: then it is put back. */
function removeDead(file: string): void {
  const aside = `${file}.${process.pid}.dead`
  try {
    renameSync(file, aside)
    if (!isDead(readLock(aside))) linkSync(aside, file)
  } catch {} // gone already, or taken again
  rmSync(aside, { force: true })
}

interface LockOwner {
  readonly pid: number
  readonly start: string
}

/** null when there is no lock; one that cannot be read has a dead owner. */
function readLock(file: string): LockOwner | null {
  const text = read(file)
  if (text === null) return null
  try {
    const { pid, start } = Object(JSON.parse(text)) as Partial<LockOwner>
    if (Number.isSafeInteger(pid) && typeof start === 'string') return { pid: pid!, start }
  } catch {} // not a lock of ours
  return { pid: 0, start: '' }
}

function isDead(owner: LockOwner | null): boolean {
  return owner !== null && !isAlive(owner)
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
