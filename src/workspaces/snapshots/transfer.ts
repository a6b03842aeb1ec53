// A snapshot as one file: its manifest, then each chunk it needs, then a sum of all before it.
import { createHash } from 'node:crypto'
import { damaged } from './chunk-codec.ts'
import type { ChunkStore } from './chunk-store.ts'
import { decodeManifest, isSealedManifest, MAX_MANIFEST_BYTES, type Manifest } from './manifest.ts'
import type { SnapshotFiles } from './snapshot-files.ts'

const MAGIC = 'drawbridge-snapshot-file 1\n'
const HEAD_BYTES = 5
const NAME_BYTES = 64
/** What sealing and compression can add. */
const MAX_STORED_CHUNK = 2 * 1024 * 1024

const FRAMES = { manifest: 0x4d, chunk: 0x43, end: 0x45 } as const

export interface Exporting {
  readonly manifest: Manifest
  /** As it is stored. */
  readonly stored: Buffer
}

/** Its chunks must stay until the end. */
export async function* exported(
  { store }: Pick<SnapshotFiles, 'store'>,
  { manifest, stored }: Exporting,
): AsyncGenerator<Buffer> {
  const sum = createHash('sha256')
  const summed = (bytes: Buffer) => {
    sum.update(bytes)
    return bytes
  }
  yield summed(Buffer.from(MAGIC))
  yield summed(frame(FRAMES.manifest, stored))
  for (const [name] of uniqueChunks(manifest))
    yield summed(frame(FRAMES.chunk, Buffer.concat([Buffer.from(name), await store.stored(name)])))
  yield frame(FRAMES.end, sum.digest())
}

export interface Imported {
  readonly manifest: Manifest
  readonly isSealed: boolean
  /** The manifest as it is stored. */
  readonly stored: Buffer
  /** What it added to the store. */
  readonly storedBytes: number
}

/**
 * Puts the chunks into the store, each checked. The manifest is only read: with `add` the snapshot is there. Throws
 * `snapshot-damaged` unless all of the file is as it was written.
 */
export async function importChunks(
  { store }: Pick<SnapshotFiles, 'store'>,
  source: AsyncIterable<Uint8Array>,
): Promise<Imported> {
  const reader = new FrameReader(source)
  await reader.begin()
  const first = await reader.next(MAX_MANIFEST_BYTES)
  if (first.type !== FRAMES.manifest) throw damaged('it does not begin with what is in it')
  const manifest = await decodeManifest(first.body, store.codec)
  const wanted = uniqueChunks(manifest)
  let storedBytes = 0
  for (;;) {
    const sum = reader.sum()
    const { type, body } = await reader.next(MAX_STORED_CHUNK)
    if (type === FRAMES.end) {
      if (!body.equals(sum)) throw damaged('its sum is another')
      break
    }
    storedBytes += await importChunk(store, { wanted, type, body })
  }
  if (wanted.size > 0) throw damaged(`${wanted.size} of its chunks are missing`)
  await store.publish()
  return { manifest, isSealed: isSealedManifest(first.body), stored: first.body, storedBytes }
}

async function importChunk(
  store: ChunkStore,
  { wanted, type, body }: { wanted: Map<string, number>; type: number; body: Buffer },
): Promise<number> {
  const name = body.toString('latin1', 0, NAME_BYTES)
  const size = wanted.get(name)
  if (type !== FRAMES.chunk || size === undefined)
    throw damaged('it has something that does not belong to it')
  const stored = body.subarray(NAME_BYTES)
  await store.codec.decode(stored, { name, size })
  wanted.delete(name)
  return store.keep(name, stored)
}

function uniqueChunks({ entries, data }: Pick<Manifest, 'entries' | 'data'>): Map<string, number> {
  return new Map<string, number>([...entries, ...data])
}

function frame(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(body.length, 0)
  head[4] = type
  return Buffer.concat([head, body])
}

class FrameReader {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #sum = createHash('sha256')
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async begin(): Promise<void> {
    if (!(await this.#take(MAGIC.length)).equals(Buffer.from(MAGIC)))
      throw damaged('it is no snapshot file of this version')
  }

  /** Of all that was read. */
  sum(): Buffer {
    return this.#sum.copy().digest()
  }

  async next(maxBytes: number): Promise<{ type: number; body: Buffer }> {
    const head = await this.#take(HEAD_BYTES)
    const length = head.readUInt32LE(0)
    if (length > maxBytes) throw damaged('it has a part that is too large')
    return { type: head[4]!, body: await this.#take(length) }
  }

  async #take(length: number): Promise<Buffer> {
    const parts = [this.#rest]
    let there = this.#rest.length
    while (there < length) {
      const { value, done } = await this.#source.next()
      if (done) throw damaged('it is cut short')
      parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
      there += value.byteLength
    }
    const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    this.#rest = all.subarray(length)
    const taken = all.subarray(0, length)
    this.#sum.update(taken)
    return taken
  }
}
