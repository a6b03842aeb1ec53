// Compresses pieces, each to a frame of its own, several at once. A call of zstdCompress makes a context and an output buffer for
// each piece, which costs as much as the compression: these are used again as long as there is work.
import { constants, createZstdCompress, type ZstdCompress } from 'node:zlib'

/** A low level: a snapshot must not keep its task waiting. */
const LEVEL = 1
/** Output buffers are cut into pieces of what is needed. */
const OUTPUT_BYTES = 1024 * 1024

export class Compressor {
  readonly #idle: ZstdCompress[] = []
  #busy = 0

  async compress(plain: Buffer): Promise<Buffer> {
    const stream = this.#idle.pop() ?? newStream(plain.length)
    this.#busy++
    try {
      const frame = await frameOf(stream, plain)
      this.#idle.push(stream)
      return frame
    } catch (error) {
      stream.destroy()
      throw error
    } finally {
      this.#busy--
      if (this.#busy === 0) for (const idle of this.#idle.splice(0)) idle.destroy()
    }
  }
}

function newStream(firstBytes: number): ZstdCompress {
  const stream = createZstdCompress({
    // Each write ends a frame.
    flush: constants.ZSTD_e_end,
    chunkSize: Math.min(OUTPUT_BYTES, firstBytes + 1024),
    // Nothing waits for a reader: it is read after each write.
    readableHighWaterMark: Number.MAX_SAFE_INTEGER,
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
  } as Parameters<typeof createZstdCompress>[0])
  // It comes to the write that it belongs to.
  stream.on('error', () => {})
  return stream
}

function frameOf(stream: ZstdCompress, plain: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    stream.write(plain, (error) => {
      if (error) reject(error)
      else resolve(stream.read() as Buffer)
    })
  })
}
