// The app-servers this user's Drawbridges have started: one file each, from right after its start until it has ended.
// A file whose owner is dead names an orphan.
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { DrawbridgeError } from '../codex/index.ts'
import {
  type AppServerRecord,
  appServerOf,
  fileNameOf,
  isRecordFile,
  ownerOf,
  parseRecord,
} from './app-server-record.ts'
import { type EndedTree, endTree } from './local/end-tree.ts'
import { couldBeHere, isAlive, signal } from './processes.ts'

export type { AppServerRecord } from './app-server-record.ts'

const FOREIGN_RECORD_KEPT_MS = 7 * 24 * 60 * 60 * 1_000
const BROKEN_FILE_KEPT_MS = 24 * 60 * 60 * 1000

export interface ReapedAppServer extends EndedTree {
  readonly record: AppServerRecord
  /** Whether the app-server itself was still running, not only what it had left behind. */
  readonly wasRunning: boolean
}

/** Writes the record so that a reader sees all of it or nothing. */
export function writeRecord(registryDir: string, record: AppServerRecord): void {
  const file = path.join(registryDir, fileNameOf(record.id))
  try {
    mkdirSync(registryDir, { recursive: true, mode: 0o700 })
    chmodSync(registryDir, 0o700)
    writeFileSync(`${file}.tmp`, `${JSON.stringify(record)}\n`, { mode: 0o600, flush: true })
    renameSync(`${file}.tmp`, file)
  } catch (cause) {
    removeFile(`${file}.tmp`)
    const message = `cannot record the app-server in ${registryDir} (${(cause as NodeJS.ErrnoException).code}): make the folder writable, choose another with registryDir or DRAWBRIDGE_HOME, or do without (registryDir: null)`
    throw new DrawbridgeError(message, { code: 'registry-not-writable', cause })
  }
}

export function removeRecord(registryDir: string, id: string): void {
  removeFile(path.join(registryDir, fileNameOf(id)))
}

/**
 * Ends every app-server whose owner is dead, with all it started, and removes its record. Those with a living owner
 * are not touched. Safe to run from several processes at once.
 */
export async function reapOrphans(registryDir: string): Promise<ReapedAppServer[]> {
  const orphans = filesIn(registryDir).flatMap((name) => readOrphan(registryDir, name) ?? [])
  return Promise.all(orphans.map((record) => reap(registryDir, record)))
}

async function reap(registryDir: string, record: AppServerRecord): Promise<ReapedAppServer> {
  const identity = appServerOf(record)
  const wasRunning = isAlive(identity)
  // After a reboot, or from another container, there is nothing here to end.
  const ended = couldBeHere(identity)
    ? await endTree({
        identity,
        marker: record.id,
        hasSession: wasRunning,
        isGone: () => !isAlive(identity),
        signal: (name) => signal(identity, name),
      })
    : { leftovers: [], survivors: [] }
  // Another machine or container that shares this folder may still need its own record.
  const isSettled = couldBeHere(identity) ? ended.survivors.length === 0 : isOld(record)
  if (isSettled) removeRecord(registryDir, record.id)
  return { record, wasRunning, ...ended }
}

function isOld({ startedAt }: AppServerRecord): boolean {
  return Date.now() - Date.parse(startedAt) > FOREIGN_RECORD_KEPT_MS
}

function readOrphan(registryDir: string, name: string): AppServerRecord | null {
  const file = path.join(registryDir, name)
  try {
    const record = parseRecord(name, readFileSync(file, 'utf8'))
    if (record) return isAlive(ownerOf(record)) ? null : record
    // A fresh one may be a record that is being written.
    if (Date.now() - statSync(file).mtimeMs > BROKEN_FILE_KEPT_MS) removeFile(file)
    return null
  } catch {
    return null // gone in the meantime, or not ours to read
  }
}

function filesIn(registryDir: string): string[] {
  try {
    return readdirSync(registryDir).filter(isRecordFile)
  } catch {
    return []
  }
}

function removeFile(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {} // one that stays does no harm: the next to reap finds nothing behind it
}
