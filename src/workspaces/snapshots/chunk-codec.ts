// How a chunk is stored: compressed where that helps, sealed where there is a key, under a name that stands for its content.
import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { WorkspaceError } from '../workspace-error.ts'
import { Compressor } from './compressor.ts'

const decompress = promisify(zstdDecompress)

const RAW = 0
const ZSTD = 1
const SEALED = 2
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** With a key names are keyed too: they do not tell who has which content. */
export class ChunkCodec {
  readonly #key: Buffer | null
  readonly #nameKey: Buffer | null
  readonly #seals: boolean
  readonly #compressor = new Compressor()

  /** `seals`: new ones are sealed. Without, the key is for those that are there. */
  constructor(key: Buffer | null, { seals }: { readonly seals: boolean } = { seals: key !== null }) {
    this.#key = key && derived(key, 'drawbridge snapshot content')
    this.#nameKey = key && derived(key, 'drawbridge snapshot names')
    this.#seals = seals
  }

  nameOf(plain: Buffer, isSealed: boolean = this.#seals): string {
    if (isSealed && this.#nameKey) return createHmac('sha256', this.#nameKey).update(plain).digest('hex')
    // In the time that it takes to copy the bytes for another thread.
    return hash('sha256', plain, 'hex')
  }

  /** In parts, which may be of `plain` itself. */
  async encode(plain: Buffer, name: string): Promise<readonly Buffer[]> {
    const packed = await this.#compressor.compress(plain)
    const isSmaller = packed.length < plain.length * 0.97
    const body = isSmaller ? packed : plain
    const kind = isSmaller ? ZSTD : RAW
    if (!this.#key || !this.#seals) return [Buffer.from([kind]), body]
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(name))
    const sealed = [cipher.update(body), cipher.final()]
    return [Buffer.from([kind | SEALED]), nonce, ...sealed, cipher.getAuthTag()]
  }

  /** Throws `snapshot-damaged` when it is not exactly what was stored under this name. */
  async decode(
    stored: Buffer,
    { name, size }: { readonly name: string; readonly size: number },
  ): Promise<Buffer> {
    const kind = stored[0]
    const isSealed = isSealedChunk(stored)
    const body = isSealed ? this.#opened(stored, name) : stored.subarray(1)
    const plain = kind !== undefined && kind & ZSTD ? await unpacked(body, size) : Buffer.from(body)
    if (kind === undefined || plain.length !== size || this.nameOf(plain, isSealed) !== name)
      throw damaged(`the chunk ${name.slice(0, 12)} is not what was stored`)
    return plain
  }

  #opened(stored: Buffer, name: string): Buffer {
    if (!this.#key)
      throw new WorkspaceError(
        'snapshot-key',
        'the snapshot is encrypted, and this service has no key for snapshots: set workspaces.encryptSnapshots and put the key in place',
      )
    try {
      const nonce = stored.subarray(1, 1 + NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(name))
      decipher.setAuthTag(stored.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(stored.subarray(1 + NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    } catch {
      throw damaged('it was encrypted with another key, or is damaged')
    }
  }
}

export function isSealedChunk(stored: Buffer): boolean {
  return ((stored[0] ?? 0) & SEALED) !== 0
}

export function damaged(why: string): WorkspaceError {
  return new WorkspaceError('snapshot-damaged', `the snapshot cannot be used: ${why}. Nothing was changed`)
}

/** A damaged chunk must not make a gigabyte of itself. */
async function unpacked(body: Buffer, size: number): Promise<Buffer> {
  return decompress(body, { maxOutputLength: Math.max(size, 1) }).catch(() => {
    throw damaged('a chunk cannot be unpacked')
  })
}

function derived(key: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(purpose).digest()
}
