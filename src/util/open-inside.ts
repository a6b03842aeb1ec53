// Opens a file that somebody else named, only if it is a plain file in one of these folders. What is checked is the file that
// was opened, so that nothing can be put in its place between the look and the read.
import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'

export interface InsideOptions {
  /** Absolute. A relative path is seen from the first. */
  readonly folders: readonly string[]
  /** Where the file must be besides, wherever the folders lead by now. null or undefined: anywhere in them. */
  readonly within?: readonly string[] | null | undefined
  /** Files and folders, absolute, whose content is never opened, under any name. */
  readonly forbidden?: readonly string[] | undefined
  readonly maxBytes: number
}

export interface InsideFile {
  /** Seen from the folder it is in, with `/`. */
  readonly path: string
  readonly bytes: number
  /** To be read once. Throws when the file is changed meanwhile. */
  read(): AsyncGenerator<Uint8Array>
  close(): Promise<void>
}

/** A path that may not be opened; the message says why, without what is there. */
class NotInsideError extends Error {
  override readonly name = 'NotInsideError'
}

const CHUNK_BYTES = 256 * 1024

export async function openInside(named: string, options: InsideOptions): Promise<InsideFile> {
  if (named === '' || named.includes('\0'))
    throw new NotInsideError('say which file: path is empty or broken')
  const folders = await Promise.all(options.folders.map((folder) => realpath(folder)))
  const place = path.resolve(options.folders[0] ?? path.sep, named)
  // What is not here is not told of, not even whether it exists.
  const isNear = [...options.folders, ...folders].some((each) => contains(path.resolve(each), place))
  const real = isNear ? await realNameOf(place, named) : null
  const folder = real === null ? undefined : folders.find((each) => contains(each, real))
  if (real === null || folder === undefined || !(await isWithin(real, options.within))) throw notInside(named)
  const handle = await openPlain(real, named)
  try {
    const facts = await handle.stat({ bigint: true })
    await check(facts, { named, real, ...options })
    return {
      path: path.relative(folder, real).split(path.sep).join('/'),
      bytes: Number(facts.size),
      read: () => readAll(handle, facts, named),
      close: () => handle.close().catch(() => {}),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function isWithin(real: string, within: readonly string[] | null | undefined): Promise<boolean> {
  if (within == null) return true
  for (const each of within) {
    const place = await realpath(each).catch(() => null)
    if (place !== null && contains(place, real)) return true
  }
  return false
}

function notInside(named: string): NotInsideError {
  return new NotInsideError(
    `${named} is not in the folder of the task, or a link leads out of it: copy the file there first`,
  )
}

async function openPlain(real: string, named: string): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK a pipe would hold us up for ever.
    return await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    throw new NotInsideError(`${named} cannot be opened: ${(error as NodeJS.ErrnoException).code}`)
  }
}

async function check(
  facts: BigIntStats,
  {
    named,
    real,
    forbidden = [],
    maxBytes,
  }: InsideOptions & { readonly named: string; readonly real: string },
): Promise<void> {
  if (!facts.isFile()) throw new NotInsideError(`${named} is not a plain file: pack a folder into one first`)
  // The name may have come to mean another file since it was looked up.
  if (
    !sameFile(facts, await statOf(await realNameOf(real, named))) ||
    (await realNameOf(real, named)) !== real
  )
    throw new NotInsideError(`${named} was replaced while it was opened: try again`)
  if (await isForbidden(facts, real, forbidden))
    throw new NotInsideError(`${named} is a file with logins or private data: it is not handed over`)
  if (facts.size > maxBytes)
    throw new NotInsideError(`${named} has ${facts.size} bytes: at most ${maxBytes} can be handed over`)
}

/** In any `.codex` folder, also in one that nobody has told us of. */
const LOGIN = /(?:^|\/)\.codex\/(?:auth|\.credentials)\.json$/

/** By its place, and by what it is: a second name of a login file is a login file. */
async function isForbidden(facts: BigIntStats, real: string, forbidden: readonly string[]): Promise<boolean> {
  if (LOGIN.test(real)) return true
  for (const each of forbidden) {
    const place = await realpath(each).catch(() => null)
    if (place === null) continue
    if (contains(place, real)) return true
    if (facts.nlink > 1n && (await isOneOf(facts, place))) return true
  }
  return false
}

async function isOneOf(facts: BigIntStats, place: string): Promise<boolean> {
  const names = await readdir(place).catch(() => [])
  for (const each of [place, ...names.map((name) => path.join(place, name))])
    if (sameFile(facts, await statOf(each))) return true
  return false
}

async function* readAll(handle: FileHandle, before: BigIntStats, named: string): AsyncGenerator<Uint8Array> {
  let at = 0
  for (;;) {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, at)
    at += bytesRead
    // One that grows all the time has no end.
    if (bytesRead === 0 || at > before.size) break
    yield buffer.subarray(0, bytesRead)
  }
  const after = await handle.stat({ bigint: true })
  const isSame = after.size === before.size && after.mtimeNs === before.mtimeNs && BigInt(at) === before.size
  if (!isSame)
    throw new NotInsideError(`${named} was changed while it was copied: try again when it is finished`)
}

async function realNameOf(place: string, named: string): Promise<string> {
  try {
    return await realpath(place)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new NotInsideError(
      code === 'ENOENT' ? `there is no file ${named}` : `${named} cannot be opened: ${code}`,
    )
  }
}

function statOf(place: string): Promise<BigIntStats | null> {
  return stat(place, { bigint: true }).catch(() => null)
}

function sameFile(one: BigIntStats, other: BigIntStats | null): boolean {
  return other !== null && one.dev === other.dev && one.ino === other.ino
}

function contains(folder: string, place: string): boolean {
  const way = path.relative(folder, place)
  return way === '' || (!path.isAbsolute(way) && way !== '..' && !way.startsWith(`..${path.sep}`))
}
