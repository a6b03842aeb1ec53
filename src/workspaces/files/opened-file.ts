// A file that is being read: of the size that it had when it was opened, however it changes meanwhile.
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { FileError } from './file-error.ts'
import { type Pinned, READ_FLAGS } from './pinned.ts'

const CHUNK_BYTES = 256 * 1024

export class OpenedFile {
  readonly name: string
  readonly bytes: number
  readonly modifiedAt: number
  /** Another one for other content, as far as the file system tells. */
  readonly tag: string
  readonly #handle: FileHandle
  #closed: Promise<void> | null = null

  constructor(handle: FileHandle, { real, facts }: Pinned) {
    this.#handle = handle
    this.name = path.basename(real)
    this.bytes = facts.size
    this.modifiedAt = Math.floor(facts.mtimeMs)
    this.tag = `${facts.ino.toString(36)}-${facts.size.toString(36)}-${Math.round(facts.mtimeMs * 1000).toString(36)}`
  }

  /** From the first to the last byte, both included. Read only as fast as it is taken; closes the file at its end. */
  async *read({
    from,
    to,
  }: {
    readonly from: number
    readonly to: number
  }): AsyncGenerator<Uint8Array, void> {
    try {
      for (let at = from; at <= to; ) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - at + 1))
        const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, at)
        if (bytesRead === 0)
          throw new FileError('file-not-found', 'the file became shorter while it was read')
        at += bytesRead
        yield chunk.subarray(0, bytesRead)
      }
    } finally {
      await this.close()
    }
  }

  /** Once more is no harm. */
  close(): Promise<void> {
    this.#closed ??= this.#handle.close()
    return this.#closed
  }
}

/** Only a regular file: to open a device or a pipe can do something, or wait for ever. */
export async function openFile(pinned: Pinned): Promise<OpenedFile> {
  const { facts } = pinned
  if (facts.isDirectory()) throw new FileError('not-a-file', 'this is a folder: ask for a file in it')
  if (!facts.isFile())
    throw new FileError('not-a-file', 'this is a pipe, a device or a socket: only files can be read')
  const handle = await open(pinned.way, READ_FLAGS).catch((cause: unknown) => {
    throw new FileError('file-protected', 'the file cannot be read by the user that Drawbridge runs as', {
      cause,
    })
  })
  try {
    await pinned.confirm(handle)
    return new OpenedFile(handle, { ...pinned, facts: await handle.stat() })
  } catch (error) {
    await handle.close()
    throw error
  }
}
