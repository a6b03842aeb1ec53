// A folder of chunks, each in a file with the name of its content. What is there is never written again.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { type ChunkCodec, damaged } from './chunk-codec.ts'

/** A piece of a stream: its name, and how many bytes it has when it is unpacked. */
export type ChunkRef = readonly [name: string, size: number]

export interface PutChunk {
  readonly ref: ChunkRef
  /** What it added to the folder. */
  readonly storedBytes: number
}

export class ChunkStore {
  readonly #root: string
  readonly codec: ChunkCodec

  constructor(root: string, codec: ChunkCodec) {
    this.#root = root
    this.codec = codec
  }

  /** On disk when it resolves. */
  async put(plain: Buffer): Promise<PutChunk> {
    const name = await this.codec.nameOf(plain)
    const ref = [name, plain.length] as const
    // Used again: another worker must not take it for garbage.
    if (await touched(this.place(name))) return { ref, storedBytes: 0 }
    const stored = await this.codec.encode(plain, name)
    await this.#write(name, stored)
    return { ref, storedBytes: stored.length }
  }

  /** As it comes from an exported snapshot, checked already. False: it was there. */
  async keep(name: string, stored: Buffer): Promise<boolean> {
    if (await touched(this.place(name))) return false
    await this.#write(name, stored)
    return true
  }

  async #write(name: string, stored: Buffer): Promise<void> {
    const place = this.place(name)
    mkdirSync(path.dirname(place), { recursive: true, mode: 0o700 })
    const partial = path.join(this.#tmp(), randomBytes(8).toString('hex'))
    const file = await open(partial, 'wx', 0o600)
    try {
      await file.writeFile(stored)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(partial, place)
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

  /** Removes what no snapshot uses, and what attempts have left. `olderThanMs`: what others may be writing now stays. */
  async sweep(used: ReadonlySet<string>, { olderThanMs }: { readonly olderThanMs: number }): Promise<void> {
    const folder = path.join(this.#root, 'chunks')
    const isOld = async (file: string) =>
      olderThanMs === 0 || Date.now() - ((await stat(file).catch(() => null))?.mtimeMs ?? 0) > olderThanMs
    for (const part of existsSync(folder) ? readdirSync(folder) : [])
      for (const name of readdirSync(path.join(folder, part))) {
        const file = path.join(folder, part, name)
        if (!used.has(name) && (await isOld(file))) await rm(file, { force: true })
      }
    for (const name of readdirSync(this.#tmp())) {
      const file = path.join(this.#tmp(), name)
      if (await isOld(file)) await rm(file, { force: true })
    }
  }

  #tmp(): string {
    const folder = path.join(this.#root, 'tmp')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  }
}

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
