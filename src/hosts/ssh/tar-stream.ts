import { createReadStream } from 'node:fs'
import type { PackageFile } from './codex-package.ts'

const BLOCK = 512

/** The files as a tar archive of programs that only their owner may use; `onBytes` hears of the bytes of the files. */
export async function* tarStream(
  files: readonly PackageFile[],
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  for (const file of files) {
    yield header(file)
    for await (const chunk of createReadStream(file.place, { highWaterMark: 1 << 18 })) {
      yield chunk as Buffer
      onBytes((chunk as Buffer).length)
    }
    yield Buffer.alloc((BLOCK - (file.bytes % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

function header({ name, bytes }: PackageFile): Buffer {
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0, 100)
  block.write('0000700\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  block.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124)
  block.write('00000000000\0', 136)
  block.write('        0', 148)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
