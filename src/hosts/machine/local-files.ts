import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../../util/make-folder.ts'
import type { EntryFacts, EntryKind, MachineFiles } from './machine.ts'
import { MachineError, type MachineErrorCode } from './machine-error.ts'

export const localFiles: MachineFiles = {
  lstat: (place) => factsOf(fs.lstat(place)),
  stat: (place) => factsOf(fs.stat(place)),
  realPath: (place) => orNull(fs.realpath(place)),
  read: (place, options) => said(readFile(place, options)),
  write: (place, bytes, { mode = 0o600 } = {}) => said(replace(place, bytes, mode)),
  create: (place, bytes) => said(fs.writeFile(place, bytes, { flag: 'wx', mode: 0o600 })),
  copy: (from, to, { exclusive = false } = {}) =>
    said(fs.copyFile(from, to, exclusive ? constants.COPYFILE_EXCL : 0)),
  mkdir: (place, { only = false, mode = 0o700 } = {}) =>
    said(only ? fs.mkdir(place, { mode }) : Promise.resolve(place).then(makeFolder)),
  rename: (from, to) => said(fs.rename(from, to)),
  remove: (place) => said(fs.rm(place, { recursive: true, force: true })),
  list: async (folder) => {
    const entries = await said(fs.readdir(folder, { withFileTypes: true })).catch(unlessMissing)
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
  },
}

async function readFile(
  place: string,
  { maxBytes, follow = false }: { readonly maxBytes: number; readonly follow?: boolean },
): Promise<Buffer> {
  // A pipe would be waited for.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW)
  const file = await fs.open(place, flags)
  try {
    const facts = await file.stat()
    if (!facts.isFile()) throw new MachineError('file-failed', `${place} is no regular file`)
    const bytes = Buffer.alloc(Math.min(facts.size, maxBytes) + 1)
    let size = 0
    for (let read = -1; read !== 0 && size < bytes.length; size += read)
      read = (await file.read(bytes, size, bytes.length - size)).bytesRead
    if (size > maxBytes || facts.size > maxBytes)
      throw new MachineError('too-large', `${place} is larger than ${maxBytes} bytes`)
    return bytes.subarray(0, size)
  } finally {
    await file.close()
  }
}

async function replace(place: string, bytes: string | Buffer, mode: number): Promise<void> {
  const written = path.join(path.dirname(place), `.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await fs.writeFile(written, bytes, { flag: 'wx', mode })
    await fs.rename(written, place)
  } catch (error) {
    await fs.rm(written, { force: true })
    throw error
  }
}

async function factsOf(stats: Promise<Stats>): Promise<EntryFacts | null> {
  const found = await orNull(stats)
  return found && { kind: kindOf(found), bytes: found.size, links: found.nlink, mode: found.mode & 0o7777 }
}

function kindOf(entry: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

const CODES: Readonly<Record<string, MachineErrorCode>> = {
  ...{ ENOENT: 'not-found', ENOTDIR: 'not-found' },
  ...{ EEXIST: 'exists', ENOTEMPTY: 'exists', EISDIR: 'exists' },
  ...{ EACCES: 'not-permitted', EPERM: 'not-permitted' },
}

async function said<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof MachineError) throw error
    throw new MachineError(CODES[code ?? ''] ?? 'file-failed', message, { cause: error })
  }
}

function unlessMissing(error: unknown): never[] {
  if (error instanceof MachineError && error.code === 'not-found') return []
  throw error
}

function orNull<T>(work: Promise<T>): Promise<T | null> {
  return said(work).catch((error: MachineError) => {
    if (error.code === 'not-found') return null
    throw error
  })
}
