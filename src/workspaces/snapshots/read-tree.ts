// Reads a folder for a snapshot: each file, folder and link once, in an order that is always the same. Works in slices, so that
// the service answers meanwhile.
import { closeSync, fstatSync, readSync, type Stats } from 'node:fs'
import path from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { Entry, Root } from './entry.ts'
import { FolderHandle } from './folder-handle.ts'
import { type IgnoreList, ignoreList, isIgnored } from './ignore.ts'
import { isHomeSecret, isLogin, MAX_LOGIN_BYTES } from './never-kept.ts'

export interface TreeSink {
  entry(entry: Entry): void
  /** Of the next file entry. A promise: wait for it before more comes. */
  data(bytes: Uint8Array): Promise<void> | null
}

type WhyLeftOut = 'excluded' | 'login' | 'special' | 'unreadable' | 'own-data'

export interface LeftOut {
  readonly path: string
  readonly why: WhyLeftOut
}

export interface ReadRules {
  /** What a user wants left out, as lines of a .gitignore. */
  readonly exclude: readonly string[]
  /** Also what the .gitignore files in it leave out. */
  readonly gitignore: boolean
  /** Real paths of folders that are no part of anybody's work: our data folder, snapshots. */
  readonly never: ReadonlySet<string>
  /** Real paths of codex homes. */
  readonly homes: ReadonlySet<string>
  /** Of the top folder: not read, because something else comes in their place. */
  readonly replaced: ReadonlySet<string>
}

/** Read on this thread: the threads that Node reads with are compressing. */
const BLOCK_BYTES = 256 * 1024
const SLICE_MS = 8
const ZEROS = Buffer.alloc(BLOCK_BYTES)

export class TreeReader {
  readonly #rules: ReadRules
  readonly #sink: TreeSink
  readonly #leave: (left: LeftOut) => void
  readonly #block = Buffer.allocUnsafe(BLOCK_BYTES)
  #sliceFrom = performance.now()
  /** Files that were written to while they were read. */
  changed = 0

  constructor({ rules, sink, leave }: { rules: ReadRules; sink: TreeSink; leave: (left: LeftOut) => void }) {
    this.#rules = rules
    this.#sink = sink
    this.#leave = leave
  }

  /** `top`: a real path. */
  async read(top: string): Promise<void> {
    const lists = [ignoreList(this.#rules.exclude.join('\n'))]
    const handle = FolderHandle.open(Buffer.from(top))
    await this.#folder({ handle, way: Buffer.alloc(0), at: top, lists })
  }

  /** A folder of ours, as a folder at the top. */
  async readAs(folder: string, name: string): Promise<void> {
    const handle = FolderHandle.open(Buffer.from(folder))
    const way = Buffer.from(name)
    this.#sink.entry({ root: 'work', path: way, kind: 'folder', mode: 0o700, mtimeMs: 0 })
    await this.#folder({ handle, way, at: folder, lists: [] })
  }

  /** A file that is known by its path, under another way. */
  async readFile(file: string, to: { readonly root: Root; readonly way: string }): Promise<void> {
    const handle = FolderHandle.open(Buffer.from(path.dirname(file)))
    try {
      await this.#file(handle, {
        name: Buffer.from(path.basename(file)),
        way: Buffer.from(to.way),
        root: to.root,
      })
    } finally {
      handle.close()
    }
  }

  async #folder({ handle, way, at, lists }: OpenFolder): Promise<void> {
    try {
      const names = handle.names()
      const own = this.#rules.gitignore ? ownList(handle, names, way) : null
      const inner = own ? [...lists, own] : lists
      for (const name of names) {
        if (way.length === 0 && this.#rules.replaced.has(name.toString())) continue
        await this.#item({ handle, way, at, lists: inner }, name)
        if (performance.now() - this.#sliceFrom > SLICE_MS) await this.#pause()
      }
    } finally {
      handle.close()
    }
  }

  async #item(folder: OpenFolder, name: Buffer): Promise<void> {
    const { handle, at, lists } = folder
    const way = folder.way.length === 0 ? name : Buffer.concat([folder.way, SLASH, name])
    const stat = handle.stat(name)
    if (!stat) return
    const leave = (why: WhyLeftOut) => this.#leave({ path: way.toString(), why })
    const place = path.join(at, name.toString())
    if (isIgnored(lists, way.toString('latin1'), stat.isDirectory())) return leave('excluded')
    if (this.#rules.never.has(place)) return leave('own-data')
    if (isHomeSecret(name.toString(), at, this.#rules.homes)) return leave('login')
    const root = 'work'
    if (stat.isSymbolicLink())
      return this.#sink.entry({ root, path: way, kind: 'link', target: handle.link(name) })
    if (stat.isFile()) return void (await this.#file(handle, { name, way, root }))
    if (!stat.isDirectory()) return leave('special')
    const inner = this.#tried(() => handle.folder(name), way)
    if (!inner) return
    this.#sink.entry({ root, path: way, kind: 'folder', ...facts(stat) })
    await this.#folder({ handle: inner, way, at: place, lists })
  }

  async #file(
    handle: FolderHandle,
    { name, way, root }: { name: Buffer; way: Buffer; root: Root },
  ): Promise<void> {
    const fd = this.#tried(() => handle.file(name), way)
    if (fd === null) return
    try {
      const stat = fstatSync(fd)
      if (!stat.isFile()) return this.#leave({ path: way.toString(), why: 'special' })
      if (this.#holdsLogin(fd, { name, stat })) return this.#leave({ path: way.toString(), why: 'login' })
      const read = await (stat.size <= BLOCK_BYTES ? this.#small(fd, stat.size) : this.#large(fd, stat))
      const after = fstatSync(fd)
      if (root === 'work' && (after.mtimeMs !== stat.mtimeMs || after.size !== stat.size)) this.changed++
      this.#sink.entry({ root, path: way, kind: 'file', ...facts(stat), ...read })
    } finally {
      closeSync(fd)
    }
  }

  #holdsLogin(fd: number, { name, stat }: { name: Buffer; stat: Stats }): boolean {
    if (name.toString() !== 'auth.json' || stat.size > MAX_LOGIN_BYTES) return false
    const bytesRead = readSync(fd, this.#block, 0, stat.size, 0)
    return isLogin('auth.json', this.#block.subarray(0, bytesRead))
  }

  async #small(fd: number, size: number): Promise<Content> {
    let length = 0
    while (length < size) {
      const bytes = readSync(fd, this.#block, length, size - length, length)
      if (bytes === 0) break
      length += bytes
    }
    if (length > 0) await this.#sink.data(this.#block.subarray(0, length))
    return { size: length, holes: [] }
  }

  /** Blocks of zeros are noted, not stored: a sparse file stays one. */
  async #large(fd: number, { size }: Stats): Promise<Content> {
    const holes: [number, number][] = []
    let at = 0
    while (at < size) {
      const bytesRead = readSync(fd, this.#block, 0, Math.min(BLOCK_BYTES, size - at), at)
      if (bytesRead === 0) break
      const block = this.#block.subarray(0, bytesRead)
      if (block.equals(ZEROS.subarray(0, bytesRead))) addHole(holes, at, bytesRead)
      else await this.#sink.data(block)
      at += bytesRead
      if (performance.now() - this.#sliceFrom > SLICE_MS) await this.#pause()
    }
    return { size: at, holes }
  }

  #tried<T>(open: () => T, way: Buffer): T | null {
    try {
      return open()
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code === 'EACCES' || code === 'EPERM') this.#leave({ path: way.toString(), why: 'unreadable' })
      // Gone, or replaced by a link, since the folder was listed.
      else if (!['ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO'].includes(code)) throw error
      return null
    }
  }

  async #pause(): Promise<void> {
    await nextTick()
    this.#sliceFrom = performance.now()
  }
}

interface OpenFolder {
  readonly handle: FolderHandle
  readonly way: Buffer
  /** Its real path. */
  readonly at: string
  readonly lists: readonly IgnoreList[]
}

interface Content {
  readonly size: number
  readonly holes: readonly (readonly [number, number])[]
}

const SLASH = Buffer.from('/')
const GITIGNORE = Buffer.from('.gitignore')
const MAX_IGNORE_BYTES = 1024 * 1024

function ownList(handle: FolderHandle, names: readonly Buffer[], way: Buffer): IgnoreList | null {
  if (!names.some((name) => name.equals(GITIGNORE)) || !handle.stat(GITIGNORE)?.isFile()) return null
  const fd = handle.file(GITIGNORE)
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, MAX_IGNORE_BYTES))
    return ignoreList(bytes.subarray(0, readSync(fd, bytes)).toString('utf8'), way.toString('latin1'))
  } finally {
    closeSync(fd)
  }
}

function facts({ mode, mtimeMs }: Stats): { mode: number; mtimeMs: number } {
  return { mode: mode & 0o1777, mtimeMs }
}

function addHole(holes: [number, number][], at: number, length: number): void {
  const last = holes.at(-1)
  if (last && last[0] + last[1] === at) last[1] += length
  else holes.push([at, length])
}
