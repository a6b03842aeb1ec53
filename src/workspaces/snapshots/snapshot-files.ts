// A folder of snapshots: their manifests and the chunks that those share.
import path from 'node:path'
import { ChunkCodec } from './chunk-codec.ts'
import { type ChunkRef, ChunkStore } from './chunk-store.ts'
import { type Manifest, Manifests } from './manifest.ts'
import { ManyOrOne } from './many-or-one.ts'
import type { SnapshotParts } from './snapshot-parts.ts'

/** Where others write too, chunks that nobody uses may be on their way into a snapshot. */
const SHARED_GRACE_MS = 24 * 60 * 60 * 1000

export interface SnapshotFiles {
  readonly store: ChunkStore
  readonly manifests: Manifests
}

export class SnapshotFolder {
  readonly root: string
  readonly #parts: SnapshotParts
  readonly #lock = new ManyOrOne()
  /** What is read without the lock. */
  readonly #pinned = new Set<readonly ChunkRef[]>()
  #opened: Promise<SnapshotFiles> | null = null

  constructor(parts: SnapshotParts) {
    this.#parts = parts
    this.root = parts.settings.folder ?? path.join(parts.dataDir, 'snapshots')
  }

  /** Nothing is swept while the work lasts. */
  async using<T>(work: (files: SnapshotFiles) => Promise<T>): Promise<T> {
    const files = await this.#open()
    return this.#lock.many(() => work(files))
  }

  /** Its chunks stay until the function that it returns is called. Within `using`. */
  pin({ entries, data }: Pick<Manifest, 'entries' | 'data'>): () => void {
    const refs = [...entries, ...data]
    this.#pinned.add(refs)
    return () => void this.#pinned.delete(refs)
  }

  /** Removes the chunks that no manifest names any more. */
  async sweep(): Promise<void> {
    const { store, manifests } = await this.#open()
    const olderThanMs = this.#parts.settings.folder === null ? 0 : SHARED_GRACE_MS
    await this.#lock.one(async () => {
      if (olderThanMs === 0) await manifests.sweep()
      const used = await manifests.usedChunks()
      for (const refs of this.#pinned) for (const [name] of refs) used.add(name)
      await store.sweep(used, { olderThanMs })
    })
  }

  #open(): Promise<SnapshotFiles> {
    this.#opened ??= this.#make().catch((error: unknown) => {
      // The key may be in its place the next time.
      this.#opened = null
      throw error
    })
    return this.#opened
  }

  async #make(): Promise<SnapshotFiles> {
    const { key, encrypt } = this.#parts.settings
    const codec = new ChunkCodec(await key(), { seals: encrypt })
    return { store: new ChunkStore(this.root, codec), manifests: new Manifests(this.root, codec) }
  }
}
