// A lock between processes for a change that takes milliseconds: a file that names its owner. It counts as left behind
// only when that process is certainly gone: no process has its number, or the one that has it started at another time.
import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

const STEP_MS = 10

export interface FileLockOptions {
  readonly waitMs: number
  /** What is thrown when the lock is not free in time. */
  readonly busy: (lock: string, ownerPid: number | null) => Error
}

/** Runs `work` while no other process does so under the same lock. */
export function withFileLock<T>(lock: string, work: () => T, { waitMs, busy }: FileLockOptions): T {
  const owner = { pid: process.pid, start: startOf(process.pid), token: randomUUID() }
  const text = JSON.stringify(owner)
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let waitedMs = 0; !create(lock, text); waitedMs += STEP_MS) {
    if (isLeftBehind(lock)) removeLeftBehind(lock)
    else if (waitedMs < waitMs) Atomics.wait(pause, 0, 0, STEP_MS)
    else throw busy(lock, ownerOf(read(lock))?.pid ?? null)
  }
  try {
    return work()
  } finally {
    if (read(lock) === text) rmSync(lock, { force: true })
  }
}

/** Whole or not at all: a link is made to a file that is already complete. */
function create(lock: string, text: string): boolean {
  const draft = `${lock}.${randomUUID()}.tmp`
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function isLeftBehind(lock: string): boolean {
  const owner = ownerOf(read(lock))
  if (owner === null) return false
  if (!isRunning(owner.pid)) return true
  const start = startOf(owner.pid)
  return owner.start !== null && start !== null && owner.start !== start
}

/** Another process may have removed it and taken the lock in between: then its lock is put back. */
function removeLeftBehind(lock: string): void {
  const aside = `${lock}.${randomUUID()}.dead`
  try {
    renameSync(lock, aside)
    if (!isLeftBehind(aside)) linkSync(aside, lock)
  } catch {} // gone already, or taken again
  rmSync(aside, { force: true })
}

interface Owner {
  readonly pid: number
  /** null where the system does not tell. */
  readonly start: string | null
}

function ownerOf(text: string | null): Owner | null {
  try {
    const { pid, start } = Object(JSON.parse(text ?? '')) as Record<string, unknown>
    if (!Number.isSafeInteger(pid) || (pid as number) <= 0) return null
    return { pid: pid as number, start: typeof start === 'string' ? start : null }
  } catch {
    return null
  }
}

/** The kernel's clock tick of its start, with the boot it was in. Only Linux tells. */
function startOf(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`)
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim()
  const tick = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return tick === undefined || boot === undefined ? null : `${boot} ${tick}`
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
