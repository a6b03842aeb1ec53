// What a snapshot is: facts about it, and the chunks that its list of files and their content are in. The snapshot is there
// when its manifest is.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { checkFacts } from './checked-facts.ts'
import { type ChunkCodec, damaged, isSealedChunk } from './chunk-codec.ts'
import type { ChunkRef } from './chunk-store.ts'
import { MAX_CHUNK_BYTES } from './chunker.ts'
import type { SnapshotFacts } from './facts.ts'
import { syncFolders } from './sync-files.ts'

export interface Manifest {
  readonly format: 1
  readonly facts: SnapshotFacts
  readonly entries: readonly ChunkRef[]
  readonly data: readonly ChunkRef[]
}

/** Before the manifest itself: what it is, its name, and its length. */
const HEAD = /^drawbridge-snapshot 1 ([0-9a-f]{64}) (\d+)\n/
export const MAX_MANIFEST_BYTES = 512 * 1024 * 1024
const ID = /^[0-9a-f-]{36}$/
const CHUNK = /^[0-9a-f]{64}$/

async function encodeManifest(manifest: Manifest, codec: ChunkCodec): Promise<Buffer> {
  const plain = Buffer.from(JSON.stringify(manifest))
  const name = codec.nameOf(plain)
  return Buffer.concat([
    Buffer.from(`drawbridge-snapshot 1 ${name} ${plain.length}\n`),
    ...(await codec.encode(plain, name)),
  ])
}

/** Whether only the one with the key can have written it. */
export function isSealedManifest(bytes: Buffer): boolean {
  const [head] = HEAD.exec(bytes.subarray(0, 128).toString('latin1')) ?? []
  return head !== undefined && isSealedChunk(bytes.subarray(head.length))
}

/** Throws `snapshot-damaged` when it is not whole. */
export async function decodeManifest(bytes: Buffer, codec: ChunkCodec): Promise<Manifest> {
  const { facts, ...chunks } = await decoded(bytes, codec)
  checkFacts(facts)
  return { ...chunks, facts }
}

type Decoded = Omit<Manifest, 'facts'> & { readonly facts: unknown }

async function decoded(bytes: Buffer, codec: ChunkCodec): Promise<Decoded> {
  const [head, name, size] = HEAD.exec(bytes.subarray(0, 128).toString('latin1')) ?? []
  if (head === undefined || Number(size) > MAX_MANIFEST_BYTES)
    throw damaged('it does not begin as a snapshot of this version of Drawbridge')
  const plain = await codec.decode(bytes.subarray(head.length), { name: name!, size: Number(size) })
  return checkedManifest(plain)
}

function checkedManifest(plain: Buffer): Decoded {
  const { format, facts, entries, data } = parsedManifest(plain)
  if (format !== 1) throw damaged('it is of another version')
  if (!areChunks(entries) || !areChunks(data)) throw damaged('it names chunks that cannot be')
  return { format, facts, entries, data }
}

function parsedManifest(plain: Buffer): Partial<Record<keyof Manifest, unknown>> {
  try {
    return Object(JSON.parse(plain.toString('utf8')))
  } catch {
    throw damaged('it cannot be read')
  }
}

/** A small chunk must not say that it is a large one. */
function areChunks(refs: unknown): refs is ChunkRef[] {
  const isChunk = (ref: unknown) =>
    Array.isArray(ref) &&
    CHUNK.test(ref[0]) &&
    Number.isSafeInteger(ref[1]) &&
    ref[1] > 0 &&
    ref[1] <= MAX_CHUNK_BYTES
  return Array.isArray(refs) && refs.every(isChunk)
}

/** The manifests in a folder of snapshots. */
export class Manifests {
  readonly #folder: string
  readonly #codec: ChunkCodec

  constructor(root: string, codec: ChunkCodec) {
    this.#folder = path.join(root, 'manifests')
    this.#codec = codec
  }

  /** In one step, and on disk when it resolves. */
  async write(manifest: Manifest): Promise<void> {
    checkFacts(manifest.facts)
    await this.writeStored(manifest.facts.id, await encodeManifest(manifest, this.#codec))
  }

  async writeStored(id: string, bytes: Buffer): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const partial = path.join(this.#folder, `.${id}.${randomBytes(4).toString('hex')}`)
    const file = await open(partial, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, this.#place(id))
    await syncFolders([this.#folder])
  }

  async read(id: string): Promise<Manifest> {
    const manifest = await decodeManifest(await this.stored(id), this.#codec)
    if (manifest.facts.id !== id) throw damaged('it is the one of another snapshot')
    return manifest
  }

  async stored(id: string): Promise<Buffer> {
    return readFile(this.#place(id)).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? damaged(`its files are not in ${path.dirname(this.#folder)}`) : error
    })
  }

  async remove(id: string): Promise<void> {
    await rm(this.#place(id), { force: true })
  }

  /** Every chunk that a manifest names. One that cannot be read rejects: nothing may be swept then. */
  async usedChunks(): Promise<Set<string>> {
    const used = new Set<string>()
    for (const name of await this.#names()) {
      // Whatever its facts say: as long as it is there, its chunks are.
      const { entries, data } = await decoded(await this.stored(name), this.#codec)
      for (const [chunk] of [...entries, ...data]) used.add(chunk)
    }
    return used
  }

  /** What attempts that died have left. */
  async sweep(): Promise<void> {
    for (const name of await this.#names(true)) await rm(path.join(this.#folder, name), { force: true })
  }

  async #names(partial = false): Promise<string[]> {
    try {
      return readdirSync(this.#folder).filter((name) => name.startsWith('.') === partial)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  #place(id: string): string {
    if (!ID.test(id)) throw damaged('it has a name that cannot be')
    return path.join(this.#folder, id)
  }
}
