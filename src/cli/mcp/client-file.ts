// A client's file on the disk: read, replaced whole and at once, and remembered as it was.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { DrawbridgeError } from '../../codex/index.ts'

const MAX_BYTES = 20 * 1024 * 1024

/** What a file was before we changed it, and what we made of it. */
export interface Remembered {
  readonly file: string
  /** null: it was not there. */
  readonly before: string | null
  readonly after: string
}

/** null: there is none. A link is followed: the file behind it is what is changed. */
export function readClientFile(file: string): string | null {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) return null
  if (!stats.isFile() || stats.size > MAX_BYTES)
    throw new DrawbridgeError(`${file} is not a file of settings`, { code: 'file-unreadable' })
  const bytes = readFileSync(file)
  const text = bytes.toString('utf8')
  if (Buffer.compare(Buffer.from(text, 'utf8'), bytes) === 0) return text
  throw new DrawbridgeError(`${file} is not UTF-8`, { code: 'file-unreadable' })
}

/** Refuses when the file is another than `before` by now. `after` null removes it. */
export function replaceClientFile(file: string, before: string | null, after: string | null): void {
  const real = existsSync(file) ? realpathSync(file) : file
  if (before === null && !existsSync(path.dirname(real)))
    throw new DrawbridgeError(`there is no folder ${path.dirname(real)}: is the program installed here?`, {
      code: 'file-unreadable',
    })
  if (readClientFile(real) !== before)
    throw new DrawbridgeError(`${file} was changed meanwhile: try again`, {
      code: 'file-changed',
      retryable: true,
    })
  if (after === null) return rmSync(real)
  const mode = before === null ? 0o600 : statSync(real).mode & 0o777
  const unfinished = `${real}.${process.pid}.drawbridge`
  try {
    writeFileSync(unfinished, after, { mode, flag: 'wx' })
    renameSync(unfinished, real)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

export function remember(dataDir: string, client: string, remembered: Remembered): void {
  mkdirSync(path.dirname(recordOf(dataDir, client)), { recursive: true, mode: 0o700 })
  writeFileSync(recordOf(dataDir, client), JSON.stringify(remembered), { mode: 0o600 })
}

export function remembered(dataDir: string, client: string): Remembered | null {
  const record = recordOf(dataDir, client)
  return existsSync(record) ? (JSON.parse(readFileSync(record, 'utf8')) as Remembered) : null
}

export function forget(dataDir: string, client: string): void {
  rmSync(recordOf(dataDir, client), { force: true })
}

function recordOf(dataDir: string, client: string): string {
  return path.join(dataDir, 'mcp-install', `${client}.json`)
}
