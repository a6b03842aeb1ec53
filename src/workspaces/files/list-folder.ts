// What is in a folder: names, kinds and sizes, without following a link and without reading a file.
import { isUtf8 } from 'node:buffer'
import { lstat, opendir, readlink } from 'node:fs/promises'
import type { Pinned } from './pinned.ts'

interface FileEntry {
  readonly name: string
  /** `other`: a pipe, a device, a socket, or a name that is not UTF-8. It cannot be read. */
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  /** Of a file. */
  readonly bytes: number | null
  readonly modifiedAt: number | null
  /** Of a link: what it says, wherever that leads. */
  readonly target: string | null
}

export interface FolderListing {
  readonly entries: readonly FileEntry[]
  /** There are more than are shown. */
  readonly isCut: boolean
}

/** Names that are looked at, and entries that are shown of them. */
const MOST = { names: 20_000, entries: 2_000 }

/** Folders first, then by name. */
export async function listFolder(folder: Pinned, most = MOST): Promise<FolderListing> {
  const found = []
  let isCut = false
  const names = await opendir(folder.way, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 })
  for await (const entry of names) {
    if (found.length === most.names) {
      isCut = true
      break
    }
    const bytes = entry.name as unknown as Buffer
    found.push({ name: bytes.toString('utf8'), isText: isUtf8(bytes), isFolder: entry.isDirectory() })
  }
  found.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || compare(a.name, b.name))
  const shown = found.slice(0, most.entries)
  const entries = await Promise.all(
    shown.map(async ({ name, isText }) => (isText ? entryOf(folder, name) : unreadable(name))),
  )
  return { entries: entries.filter((entry) => entry !== null), isCut: isCut || shown.length < found.length }
}

/** null: it is gone by now. */
async function entryOf(folder: Pinned, name: string): Promise<FileEntry | null> {
  const place = `${folder.way}/${name}`
  const facts = await lstat(place).catch(() => null)
  if (facts === null) return null
  const kind = facts.isFile()
    ? 'file'
    : facts.isDirectory()
      ? 'folder'
      : facts.isSymbolicLink()
        ? 'link'
        : 'other'
  return {
    name,
    kind,
    bytes: kind === 'file' ? facts.size : null,
    modifiedAt: Math.floor(facts.mtimeMs),
    target: kind === 'link' ? await readlink(place).catch(() => null) : null,
  }
}

function unreadable(name: string): FileEntry {
  return { name, kind: 'other', bytes: null, modifiedAt: null, target: null }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
