// Codex's config.toml on disk: read whole, replaced whole. A reader sees the old or the new file, whenever we are killed.
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../../util/make-folder.ts'
import { readSmallFile } from '../read-small-file.ts'
import { ConfigError } from './config-error.ts'

const MAX_BYTES = 16 * 1024 * 1024
const MAX_LINKS = 40
/** No write takes that long: an older draft was left by a process that was killed. */
const STALE_DRAFT_MS = 60_000

/** null: there is no file. */
export function readWhole(file: string): string | null {
  const read = readSmallFile(file, MAX_BYTES)
  if (!('bytes' in read)) {
    if (read.problem === null) return null
    throw new ConfigError('config-broken', `${file} ${read.problem}: it is left alone`)
  }
  const text = read.bytes.toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(read.bytes))
    throw new ConfigError('config-broken', `${file} is not UTF-8: it is left alone`)
  return text
}

/** Where a symlink leads in the end, also when nothing is there yet: the link stays, its target is written. */
export function targetOf(file: string): string {
  let at = path.resolve(file)
  for (let links = 0; links < MAX_LINKS; links++) {
    if (!lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return at
    at = path.resolve(path.dirname(at), readlinkSync(at))
  }
  throw new ConfigError(
    'config-broken',
    `${file} is a symlink that leads round in a circle: it is left alone`,
  )
}

/**
 * Replaces a file, or removes it (null), unless it is no longer what `expected` says. false when it is not: nothing was
 * changed then.
 */
export function replaceWhole(
  file: string,
  { expected, text }: { expected: string | null; text: string | null },
): boolean {
  if (text === null) {
    if (readWhole(file) !== expected) return false
    rmSync(file, { force: true })
    return true
  }
  makeFolder(path.dirname(file))
  sweepDrafts(file)
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}.tmp`)
  try {
    writeDraft(draft, file, text)
    if (readWhole(file) !== expected) return false
    renameSync(draft, file)
    syncFolder(path.dirname(file))
    return true
  } finally {
    rmSync(draft, { force: true })
  }
}

/** A draft holds the secrets of the file, and commands of codex can read it. */
function sweepDrafts(file: string): void {
  const folder = path.dirname(file)
  const start = `.${path.basename(file)}.`
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(start) || !DRAFT_END.test(name.slice(start.length))) continue
    const draft = path.join(folder, name)
    const found = lstatSync(draft, { throwIfNoEntry: false })
    if (found && found.mtimeMs < Date.now() - STALE_DRAFT_MS) rmSync(draft, { force: true })
  }
}

const DRAFT_END = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/

function writeDraft(draft: string, file: string, text: string): void {
  const open = openSync(draft, 'wx', 0o600)
  try {
    const old = statSync(file, { throwIfNoEntry: false })
    const bytes = Buffer.from(text, 'utf8')
    for (let at = 0; at < bytes.length; ) at += writeSync(open, bytes, at)
    if (old) keepFacts(open, old)
    fsyncSync(open)
  } finally {
    closeSync(open)
  }
}

function keepFacts(open: number, { mode, uid, gid }: { mode: number; uid: number; gid: number }): void {
  try {
    fchownSync(open, uid, gid)
  } catch {} // only an administrator can
  fchmodSync(open, mode & 0o777)
}

/** So that the new name survives a power cut. Not every system lets a folder be opened. */
function syncFolder(folder: string): void {
  try {
    const open = openSync(folder, 'r')
    try {
      fsyncSync(open)
    } finally {
      closeSync(open)
    }
  } catch {}
}
