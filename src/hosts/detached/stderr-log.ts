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
import { redact } from '../../codex/index.ts'
import { StderrTail } from '../local/stderr-tail.ts'
import { removeFiles } from '../remove-files.ts'

const MAX_BYTES = 1024 * 1024
const TAIL_BYTES = 128 * 1024
const MAX_KEY = 32 * 1024
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

/**
 * Takes the secrets out of the whole lines written since `from`, and returns how far it got. In place and of the same
 * length: codex appends meanwhile, and nothing that it has written may move.
 */
export function redactStderrLog(file: string, from: number): number {
  let done = from
  withFile(file, 'r+', (descriptor) => {
    const { size } = fstatSync(descriptor)
    // Cut since: all that is left was looked at, but where that ends nobody knows.
    if (size < done) done = 0
    const bytes = Buffer.alloc(Math.min(size - done, MAX_BYTES))
    const text = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, done)).toString('latin1')
    const whole = text.slice(0, wholeLines(text))
    const safe = sameLength(redact(whole), whole.length)
    if (safe !== whole) writeSync(descriptor, Buffer.from(safe, 'latin1'), 0, whole.length, done)
    done += whole.length
  })
  return done
}

/** Up to the last line break, and not into a private key whose end has not been written yet. */
function wholeLines(text: string): number {
  const end = text.lastIndexOf('\n') + 1
  const key = text.lastIndexOf('-----BEGIN', end)
  if (key === -1 || text.length - key > MAX_KEY || text.indexOf('-----END', key) !== -1) return end
  return text.lastIndexOf('\n', key) + 1
}

/** Latin-1, byte for byte: filled up before its last line break, or cut there. */
function sameLength(safe: string, length: number): string {
  const shown = safe.replaceAll('…', '*')
  if (shown.length === length) return shown
  const line = shown.endsWith('\n') ? shown.slice(0, -1) : shown
  return `${line.slice(0, length - 1).padEnd(length - 1)}\n`
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

function withFile(file: string, flags: 'r' | 'r+' | 'a+', use: (descriptor: number) => void): void {
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
