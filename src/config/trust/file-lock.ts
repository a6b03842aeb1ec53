// A lock between processes for a change that takes milliseconds: a file that names its owner. One whose owner is dead,
// or that is older than any such change, counts as left behind.
import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { TrustError } from './trust-error.ts'

const WAIT_MS = 3000
const STEP_MS = 10
const LEFT_BEHIND_MS = 30_000

/** Runs `work` while no other process does so under the same lock. Throws when the lock is not free in time. */
export function withFileLock<T>(lock: string, work: () => T): T {
  const text = JSON.stringify({ pid: process.pid, token: randomUUID() })
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let waitedMs = 0; !create(lock, text); waitedMs += STEP_MS) {
    if (isLeftBehind(lock)) removeLeftBehind(lock)
    else if (waitedMs < WAIT_MS) Atomics.wait(pause, 0, 0, STEP_MS)
    else throw new TrustError('trust-busy', `${lock} is held by another process`, { isRetryable: true })
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
  const facts = statSync(lock, { throwIfNoEntry: false })
  if (!facts) return false
  if (Date.now() - facts.mtimeMs > LEFT_BEHIND_MS) return true
  const pid = ownerOf(read(lock))
  return pid !== null && !isRunning(pid)
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

function ownerOf(text: string | null): number | null {
  try {
    const { pid } = Object(JSON.parse(text ?? '')) as { pid?: unknown }
    return Number.isSafeInteger(pid) && (pid as number) > 0 ? (pid as number) : null
  } catch {
    return null
  }
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
