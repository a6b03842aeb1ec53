// A file or folder below a root, held so that it stays the same one while it is looked at and read. Which names and links
// led to it is looked at after it is held: swapping a link meanwhile changes nothing.
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { FileError } from './file-error.ts'

export interface Pinned {
  /** Where it really is. */
  readonly real: string
  readonly facts: Stats
  /** By this it can be opened: the same one, whatever its name leads to by now. */
  readonly way: string
  /** Throws when what was opened is another one. Only without /proc can it be. */
  confirm(opened: FileHandle): Promise<void>
  close(): Promise<void>
}

/** Linux: a place in the file tree, without opening what is there. Nothing happens to devices and pipes. */
const O_PATH = 0o10_000_000

/** Whether `/proc/self/fd` tells where a descriptor leads. */
const HAS_PROC = process.platform === 'linux'

const MAX_PATH = 4096

/** The parts of a path that is to lead into a root, by its words alone. */
function partsOf(relative: string): string[] {
  if (relative.includes('\0')) throw outside('a path cannot have a NUL in it')
  if (relative.length > MAX_PATH) throw outside(`a path may have ${MAX_PATH} characters`)
  if (path.isAbsolute(relative))
    throw outside('the path must be relative to the folder of the task, without / at its beginning')
  const parts = relative.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw outside('the path must not have .. in it')
  return parts
}

/** The root itself: wherever its name leads. */
export async function pinRoot(folder: string, hasProc = HAS_PROC): Promise<Pinned> {
  const pinned = await pin(folder, hasProc)
  if (pinned.facts.isDirectory()) return pinned
  await pinned.close()
  throw new FileError('file-not-found', `${folder} is not a folder any more`)
}

/** Below the root: links may be followed as long as they stay in it. */
export async function pinBelow(root: Pinned, relative: string, hasProc = HAS_PROC): Promise<Pinned> {
  const parts = partsOf(relative)
  const pinned = await pin([root.way, ...parts].join('/'), hasProc)
  if (isAtOrBelow(root.real, pinned.real)) return pinned
  await pinned.close()
  throw outside(`${JSON.stringify(relative)} leads out of the folder of the task`)
}

export function isAtOrBelow(folder: string, place: string): boolean {
  return place === folder || place.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

async function pin(place: string, hasProc: boolean): Promise<Pinned> {
  return (hasProc ? pinByDescriptor(place) : pinByName(place)).catch((error: unknown) => {
    throw asFileError(error, place)
  })
}

async function pinByDescriptor(place: string): Promise<Pinned> {
  const handle = await open(place, O_PATH)
  try {
    const way = `/proc/self/fd/${handle.fd}`
    const [real, facts] = [await readlink(way), await handle.stat()]
    return { real, facts, way, confirm: async () => {}, close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** What is opened afterwards is compared with what is at the real path, with no link on the way to it. */
async function pinByName(place: string): Promise<Pinned> {
  const real = await realpath(place)
  const facts = await lstat(real)
  const confirm = async (opened: FileHandle) => {
    const [now, there] = [await opened.stat(), await stat(real)]
    const isSame = now.dev === there.dev && now.ino === there.ino
    if (!isSame || (await realpath(real)) !== real)
      throw outside('the file was replaced while it was opened: try again')
  }
  return { real, facts, way: real, confirm, close: async () => {} }
}

function asFileError(error: unknown, place: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  const name = JSON.stringify(path.basename(place))
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new FileError('file-not-found', `there is no file ${name} there`, { cause: error })
  if (code === 'ELOOP') return outside(`the links at ${name} lead in a circle`, error)
  if (code === 'ENAMETOOLONG')
    return new FileError('file-not-found', 'no file has a name that long', { cause: error })
  if (code === 'EACCES' || code === 'EPERM')
    return new FileError('file-protected', `${name} cannot be read by the user that Drawbridge runs as`, {
      cause: error,
    })
  return error
}

export function outside(message: string, cause?: unknown): FileError {
  return new FileError('file-outside', message, { cause })
}

export const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
