// Writes what a snapshot has into a folder that is new. Every folder on the way of a file was made here: no link is followed.
import {
  closeSync,
  constants,
  fchmodSync,
  ftruncateSync,
  futimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { chmod, utimes } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { damaged } from './chunk-codec.ts'
import type { ChunkReader } from './chunk-stream.ts'
import type { Entry, Root } from './entry.ts'

type FileEntry = Extract<Entry, { kind: 'file' }>
type FolderEntry = Extract<Entry, { kind: 'folder' }>

const SLICE_MS = 8

export class TreeWriter {
  readonly #roots: Readonly<Partial<Record<Root, string>>>
  readonly #data: ChunkReader
  readonly #made = new Set<string>()
  /** Their modes and times are set last: a folder may be read-only. */
  readonly #folders: FolderEntry[] = []
  #sliceFrom = performance.now()

  /** What belongs to a root that is not given is read and not written. */
  constructor(roots: Readonly<Partial<Record<Root, string>>>, data: ChunkReader) {
    this.#roots = roots
    this.#data = data
  }

  async write(entry: Entry): Promise<void> {
    const top = this.#roots[entry.root]
    if (entry.kind === 'file') return this.#file(entry, top)
    if (top === undefined) return
    this.#refuseStrayParent(entry)
    const place = placeOf(top, entry)
    if (entry.kind === 'link') return symlinkSync(entry.target, place)
    mkdirSync(place, { mode: 0o700 })
    this.#made.add(keyOf(entry))
    this.#folders.push(entry)
  }

  /** After the last entry. */
  async end(): Promise<void> {
    for (const folder of this.#folders.reverse()) {
      const place = placeOf(this.#roots[folder.root]!, folder)
      await chmod(place, folder.mode)
      const at = new Date(folder.mtimeMs)
      await utimes(place, at, at)
    }
  }

  async #file(entry: FileEntry, top: string | undefined): Promise<void> {
    if (top === undefined) return this.#copy(entry, null)
    if (entry.root === 'thread')
      mkdirSync(path.dirname(placeOf(top, entry).toString()), { recursive: true, mode: 0o700 })
    else this.#refuseStrayParent(entry)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    const fd = openSync(placeOf(top, entry), flags, 0o600)
    try {
      await this.#copy(entry, fd)
      ftruncateSync(fd, entry.size)
      fchmodSync(fd, entry.mode)
      futimesSync(fd, entry.mtimeMs / 1000, entry.mtimeMs / 1000)
    } finally {
      closeSync(fd)
    }
    if (performance.now() - this.#sliceFrom < SLICE_MS) return
    await nextTick()
    this.#sliceFrom = performance.now()
  }

  async #copy({ size, holes }: FileEntry, fd: number | null): Promise<void> {
    let at = 0
    for (const [holeAt, length] of [...holes, [size, 0] as const]) {
      while (at < holeAt) {
        const taken = this.#data.take(holeAt - at)
        const bytes = taken instanceof Promise ? await taken : taken
        if (!bytes) throw damaged('it ends too early')
        if (fd !== null)
          for (let done = 0; done < bytes.length; )
            done += writeSync(fd, bytes, done, bytes.length - done, at + done)
        at += bytes.length
      }
      at += length
    }
  }

  #refuseStrayParent(entry: Entry): void {
    const way = keyOf(entry)
    const end = way.lastIndexOf('/')
    if (end > way.indexOf(':') && !this.#made.has(way.slice(0, end)))
      throw damaged('it has a file in a folder that it has not')
  }
}

function keyOf({ root, path: way }: Entry): string {
  return `${root}:${way.toString('latin1')}`
}

function placeOf(top: string, { path: way }: Entry): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), way])
}
