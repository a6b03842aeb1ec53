// A stream of bytes as chunks in a store: written with a few at a time on their way, read ahead by as many.

import type { ChunkRef, ChunkStore } from './chunk-store.ts'
import { Chunker, MAX_CHUNK_BYTES } from './chunker.ts'

const IN_FLIGHT = 6

export class ChunkSink {
  readonly #store: ChunkStore
  readonly #free: Buffer[] = []
  readonly #chunker = new Chunker(() => this.#free.pop() ?? Buffer.allocUnsafeSlow(MAX_CHUNK_BYTES))
  readonly #refs: ChunkRef[] = []
  readonly #waiting = new Set<Promise<void>>()
  #failure: unknown = null
  bytes = 0
  storedBytes = 0

  constructor(store: ChunkStore) {
    this.#store = store
  }

  /** A promise when the disk is behind: wait for it before the next. The bytes may be changed afterwards. */
  write(bytes: Uint8Array): Promise<void> | null {
    this.bytes += bytes.length
    this.#chunker.push(bytes, (chunk) => this.#put(chunk))
    return this.#waiting.size < IN_FLIGHT ? null : this.#room()
  }

  /** All of it is in the store when this resolves. */
  async end(): Promise<readonly ChunkRef[]> {
    this.#chunker.flush((chunk) => this.#put(chunk))
    await Promise.all(this.#waiting)
    if (this.#failure) throw this.#failure
    return this.#refs
  }

  async #room(): Promise<void> {
    while (this.#waiting.size >= IN_FLIGHT) await Promise.race(this.#waiting)
    if (this.#failure) throw this.#failure
  }

  #put(chunk: Buffer): void {
    const at = this.#refs.push(['', 0]) - 1
    const done = this.#store
      .put(chunk)
      .then(({ ref, storedBytes }) => {
        this.#refs[at] = ref
        this.storedBytes += storedBytes
      })
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => {
        this.#waiting.delete(done)
        this.#free.push(Buffer.from(chunk.buffer))
      })
    this.#waiting.add(done)
  }
}

/** The chunks in order, checked; the next ones are on their way already. */
export async function* readChunks(store: ChunkStore, refs: readonly ChunkRef[]): AsyncGenerator<Buffer> {
  const ahead: Promise<Buffer>[] = []
  let next = 0
  const fill = () => {
    while (ahead.length < IN_FLIGHT && next < refs.length) {
      const chunk = store.get(refs[next++]!)
      // Told when its turn comes.
      chunk.catch(() => {})
      ahead.push(chunk)
    }
  }
  for (fill(); ahead.length > 0; fill()) yield await ahead.shift()!
}

/** Reads exact lengths from chunks. */
export class ChunkReader {
  readonly #chunks: AsyncGenerator<Buffer>
  #chunk: Buffer = Buffer.alloc(0)

  constructor(store: ChunkStore, refs: readonly ChunkRef[]) {
    this.#chunks = readChunks(store, refs)
  }

  /** At most so many bytes, without a copy; null at the end. A promise only when the next chunk is not here yet. */
  take(bytes: number): Buffer | Promise<Buffer | null> {
    if (this.#chunk.length === 0) return this.#next(bytes)
    const part = this.#chunk.subarray(0, bytes)
    this.#chunk = this.#chunk.subarray(part.length)
    return part
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined)
  }

  async #next(bytes: number): Promise<Buffer | null> {
    const { value, done } = await this.#chunks.next()
    if (done) return null
    this.#chunk = value
    return this.take(bytes)
  }
}
