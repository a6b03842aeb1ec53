// The app-servers this user's Drawbridges have started: one file each, from just before its start until it has ended.
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DrawbridgeError } from '../codex/index.ts'
import {
  type AppServerRecord,
  type DetachedRecord,
  fileNameOf,
  isRecordFile,
  parseRecord,
} from './app-server-record.ts'
import { removeFiles } from './remove-files.ts'

const BROKEN_FILE_KEPT_MS = 24 * 60 * 60 * 1000

/** Writes the record so that a reader sees all of it or nothing. */
export function writeRecord(registryDir: string, record: AppServerRecord): void {
  const file = path.join(registryDir, fileNameOf(record.id))
  try {
    makeRegistry(registryDir)
    writeFileSync(`${file}.tmp`, `${JSON.stringify(record)}\n`, { mode: 0o600, flush: true })
    renameSync(`${file}.tmp`, file)
  } catch (cause) {
    removeFiles(`${file}.tmp`)
    const message = `cannot record the app-server in ${registryDir} (${(cause as NodeJS.ErrnoException).code}): make the folder writable, choose another with registryDir or DRAWBRIDGE_HOME, or do without (registryDir: null)`
    throw new DrawbridgeError(message, { code: 'registry-not-writable', cause })
  }
}

export function makeRegistry(registryDir: string): void {
  mkdirSync(registryDir, { recursive: true, mode: 0o700 })
  chmodSync(registryDir, 0o700)
}

export function removeRecord(registryDir: string, id: string): void {
  const file = path.join(registryDir, fileNameOf(id))
  removeFiles(file, `${file}.tmp`)
}

/** Every whole record. Broken ones are removed when they are too old to be in the making. */
export function readRecords(registryDir: string): AppServerRecord[] {
  return filesIn(registryDir).flatMap((name) => readRecord(path.join(registryDir, name)) ?? [])
}

/** Those that belong to the service with this data folder. */
export function readRecordsOf(scope: string, registryDir: string): DetachedRecord[] {
  return readRecords(registryDir).filter(
    (record): record is DetachedRecord => record.detached?.scope === scope,
  )
}

function readRecord(file: string): AppServerRecord | null {
  try {
    const record = parseRecord(path.basename(file), readFileSync(file, 'utf8'))
    // A fresh one may be a record that is being written.
    if (!record && Date.now() - statSync(file).mtimeMs > BROKEN_FILE_KEPT_MS) removeFiles(file)
    return record
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
