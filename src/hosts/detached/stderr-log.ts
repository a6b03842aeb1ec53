// The file a detached app-server writes its stderr to, by itself and for weeks: we keep it short from outside.
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { StderrTail } from '../local/stderr-tail.ts'
import { removeFiles } from '../remove-files.ts'

const MAX_BYTES = 1024 * 1024
const TAIL_BYTES = 128 * 1024
const LOG_NAME = /^[0-9a-f]{32}\.log$/

export function stderrPath(logDir: string, id: string): string {
  return path.join(logDir, `${id}.log`)
}

/** A descriptor to give to codex. It appends, so that what it writes after a cut lands at the new end. */
export function openStderrLog(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  return openSync(file, 'a', 0o600)
}

/** Its newest lines, oldest first; empty when there is no such file. */
export function stderrTailOf(file: string, lines?: number): readonly string[] {
  const tail = new StderrTail()
  withFile(file, 'r', (descriptor) => tail.push(lastBytes(descriptor)))
  tail.end()
  return tail.last(lines)
}

/** Cuts it down to its newest part when it has grown too long. */
export function trimStderrLog(file: string, maxBytes = MAX_BYTES): void {
  // What codex writes between reading and cutting is lost, and what it writes before our last line comes out of order.
  withFile(file, 'a+', (descriptor) => {
    if (fstatSync(descriptor).size <= maxBytes) return
    const kept = lastBytes(descriptor)
    ftruncateSync(descriptor, 0)
    writeSync(descriptor, kept)
  })
}

/** Removes the logs of app-servers that nobody wrote down. */
export function removeStrayLogs(logDir: string, known: readonly string[]): void {
  for (const name of filesIn(logDir).filter((entry) => LOG_NAME.test(entry))) {
    const file = path.join(logDir, name)
    if (!known.includes(file)) removeFiles(file)
  }
}

function lastBytes(descriptor: number): Buffer {
  const { size } = fstatSync(descriptor)
  const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES))
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, size - bytes.length))
}

function withFile(file: string, flags: 'r' | 'a+', use: (descriptor: number) => void): void {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, flags)
    use(descriptor)
  } catch {
    // a log that is gone or full says nothing; that must not end anything
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
