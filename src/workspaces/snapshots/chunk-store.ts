// A folder of chunks, each in a file with the name of its content. What is there is whole, and is never written again.
import { randomBytes } from 'node:crypto'
import { close as closeFd, existsSync, open as openFd, readdirSync, write as writeSome } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { type ChunkCodec, damaged } from './chunk-codec.ts'
import { syncFiles, syncFolders } from './sync-files.ts'

const open = promisify(openFd)
const close = promisify(closeFd)
const write = promisify(writeSome)
const EARLY_PUBLISH_BYTES = 96 * 1024 * 1024

/** A piece of a stream: its name, and how many bytes it has when it is unpacked. */
export type ChunkRef = readonly [name: string, size: number]

export interface PutChunk {
  readonly ref: ChunkRef
  /** What it added to the folder. */
  readonly storedBytes: number
}

export class ChunkStore {
  readonly #root: string
  readonly #tmp: string
  readonly codec: ChunkCodec
  /** Not published yet: where they are written to; null: it was there already. */
  readonly #pending = new Map<string, Promise<string | null>>()
  #publishing: Promise<void> = Promise.resolve()
  #unpublishedBytes = 0
  /** Why a publish failed. A second attempt could succeed although the disk has lost what it was given. */
  #failure: { readonly cause: unknown } | null = null

  constructor(root: string, codec: ChunkCodec) {
    this.#root = root
    this.#tmp = path.join(root, 'tmp')
    this.codec = codec
  }

  /** It can be read after the next `publish`. `plain` is not used any more when this resolves. */
  async put(plain: Buffer): Promise<PutChunk> {
    const name = this.codec.nameOf(plain)
    const ref = [name, plain.length] as const
    const storedBytes = await this.#add(name, () => this.codec.encode(plain, name))
    return { ref, storedBytes }
  }

  /** As it comes from an exported snapshot, checked already. Resolves with what it added to the folder. */
  async keep(name: string, stored: Buffer): Promise<number> {
    return this.#add(name, async () => [stored])
  }

  /**
   * What was put is on disk under its name when this resolves. All of it is synced before the first gets its name: a chunk that
   * has its name is whole, also after a power failure.
   */
  publish(): Promise<void> {
    this.#unpublishedBytes = 0
    const done = this.#publishing.then(() => {
      if (this.#failure) throw this.#failure.cause
      return this.#publish()
    })
    this.#publishing = done.catch((cause: unknown) => {
      this.#failure = { cause }
    })
    return done
  }

  async #add(name: string, encode: () => Promise<readonly Buffer[]>): Promise<number> {
    const known = this.#pending.get(name)
    if (known) return known.then(() => 0)
    let bytes = 0
    const adding = this.#isThere(name).then(async (isThere) => {
      if (isThere) return null
      const parts = await encode()
      bytes = lengthOf(parts)
      return this.#write(parts)
    })
    this.#pending.set(name, adding)
    try {
      if ((await adding) === null) this.#pending.delete(name)
    } catch (error) {
      this.#pending.delete(name)
      throw error
    }
    this.#unpublishedBytes += bytes
    // The disk works while the rest is compressed.
    if (this.#unpublishedBytes > EARLY_PUBLISH_BYTES) this.publish().catch(() => {})
    return bytes
  }

  async #isThere(name: string): Promise<boolean> {
    const place = this.place(name)
    // Used again: another worker must not take it for garbage.
    return existsSync(place) && touched(place)
  }

  async #write(parts: readonly Buffer[]): Promise<string> {
    const partial = path.join(this.#tmp, randomBytes(8).toString('hex'))
    const fd = await inFolder(partial, () => open(partial, 'wx', 0o600))
    try {
      await writeAll(fd, parts)
    } finally {
      await close(fd)
    }
    return partial
  }

  async #publish(): Promise<void> {
    const partials = new Map<string, string>()
    for (const [name, adding] of this.#pending) {
      const partial = await adding
      if (partial !== null) partials.set(name, partial)
    }
    if (partials.size === 0) return
    await syncFiles([...partials.values()], this.#tmp)
    const folders = new Set<string>()
    for (const [name, partial] of partials) {
      const place = this.place(name)
      await inFolder(place, () => rename(partial, place))
      this.#pending.delete(name)
      folders.add(path.dirname(place))
    }
    await syncFolders([...folders, path.join(this.#root, 'chunks')])
  }

  async get([name, size]: ChunkRef): Promise<Buffer> {
    return this.codec.decode(await this.stored(name), { name, size })
  }

  async stored(name: string): Promise<Buffer> {
    return readFile(this.place(name)).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? damaged(`the chunk ${name.slice(0, 12)} is missing`) : error
    })
  }

  place(name: string): string {
    if (!/^[0-9a-f]{64}$/.test(name)) throw damaged('it names a chunk that cannot be')
    return path.join(this.#root, 'chunks', name.slice(0, 2), name)
  }

  /**
   * Removes what no snapshot uses, and what attempts have left. Nobody may put meanwhile. `olderThanMs`: what others may be
   * writing now stays.
   */
  async sweep(used: ReadonlySet<string>, { olderThanMs }: { readonly olderThanMs: number }): Promise<void> {
    // An attempt that failed may not have waited for all that it put.
    await Promise.allSettled(this.#pending.values())
    await this.#publishing
    this.#pending.clear()
    this.#failure = null
    const folder = path.join(this.#root, 'chunks')
    const isOld = async (file: string) =>
      olderThanMs === 0 || Date.now() - ((await stat(file).catch(() => null))?.mtimeMs ?? 0) > olderThanMs
    for (const part of existsSync(folder) ? readdirSync(folder) : [])
      for (const name of readdirSync(path.join(folder, part))) {
        const file = path.join(folder, part, name)
        if (!used.has(name) && (await isOld(file))) await rm(file, { force: true })
      }
    for (const name of existsSync(this.#tmp) ? readdirSync(this.#tmp) : []) {
      const file = path.join(this.#tmp, name)
      if (await isOld(file)) await rm(file, { force: true })
    }
  }
}

async function writeAll(fd: number, parts: readonly Buffer[]): Promise<void> {
  for (const part of parts)
    for (let at = 0; at < part.length; ) at += (await write(fd, part, at, part.length - at)).bytesWritten
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0)
}

/** Makes the folder of the file first where it is missing. */
async function inFolder<T>(file: string, work: () => Promise<T>): Promise<T> {
  return work().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    return work()
  })
}

/** False: it is not there. */
async function touched(file: string): Promise<boolean> {
  const now = new Date()
  return utimes(file, now, now).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return false
    },
  )
}
