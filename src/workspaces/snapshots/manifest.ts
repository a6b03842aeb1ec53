// What a snapshot is: facts about it, and the chunks that its list of files and their content are in. The snapshot is there
// when its manifest is.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { type ChunkCodec, damaged, isSealedChunk } from './chunk-codec.ts'
import type { ChunkRef } from './chunk-store.ts'
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
  const [head, name, size] = HEAD.exec(bytes.subarray(0, 128).toString('latin1')) ?? []
  if (head === undefined || Number(size) > MAX_MANIFEST_BYTES)
    throw damaged('it does not begin as a snapshot of this version of Drawbridge')
  const plain = await codec.decode(bytes.subarray(head.length), { name: name!, size: Number(size) })
  const manifest = JSON.parse(plain.toString('utf8')) as Manifest
  if (manifest.format !== 1 || !ID.test(manifest.facts?.id ?? '')) throw damaged('it is of another version')
  return manifest
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
    return decodeManifest(await this.stored(id), this.#codec)
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
      const { entries, data } = await this.read(name)
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
