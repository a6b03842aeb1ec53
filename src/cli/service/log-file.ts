// The log of a service in the background. Its process appends to it; it is cut from time to time.
import { closeSync, constants, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { openOwnFile } from '../../util/open-own-file.ts'

const MAX_BYTES = 5 * 1024 * 1024
const LOOK_MS = 60_000
const TAIL_BYTES = 4_096

export function logFile(dataDir: string): string {
  return path.join(dataDir, 'service.log')
}

/** For appending, by this user alone. */
export function openLog(dataDir: string): number {
  cutLog(logFile(dataDir))
  return openOwnFile(logFile(dataDir), constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT)
}

/** At most twice `MAX_BYTES` are kept: what there is, and what there was before. Returns how to stop. */
export function keepLogShort(file: string): () => void {
  const timer = setInterval(() => cutLog(file), LOOK_MS).unref()
  return () => clearInterval(timer)
}

export function cutLog(file: string, maxBytes = MAX_BYTES): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size <= maxBytes) return
  copyFileSync(file, `${file}.1`)
  truncateSync(file)
}

/** The last lines. */
export function logTail(
  dataDir: string,
  { since = 0, lines = 8 }: { since?: number; lines?: number } = {},
): string[] {
  const file = logFile(dataDir)
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const start = Math.max(since <= size ? since : 0, size - TAIL_BYTES)
  if (size <= start) return []
  const buffer = Buffer.alloc(size - start)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, buffer, 0, buffer.length, start)
  } finally {
    closeSync(descriptor)
  }
  return buffer.toString('utf8').trimEnd().split('\n').slice(-lines)
}
