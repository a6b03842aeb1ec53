// Reads a file that anyone may have put there: a pipe, a device or something endless must not hold us up.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

export type SmallFile = { readonly bytes: Buffer } | { readonly problem: string | null }

/** The whole file, or why not; `problem: null` means that there is none. */
export function readSmallFile(file: string, maxBytes: number): SmallFile {
  let open: number
  try {
    // Not blocking: opening a pipe would wait for somebody to write into it.
    open = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { problem: code === 'ENOENT' || code === 'ENOTDIR' ? null : `cannot be read (${code})` }
  }
  try {
    if (!fstatSync(open).isFile()) return { problem: 'is not a regular file' }
    const bytes = readUpTo(open, maxBytes + 1)
    return bytes.length > maxBytes ? { problem: `is larger than ${maxBytes} bytes` } : { bytes }
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  } finally {
    closeSync(open)
  }
}

/** A size that the file system tells can be untrue, as in /proc. */
function readUpTo(open: number, count: number): Buffer {
  const pieces: Buffer[] = []
  let left = count
  while (left > 0) {
    const piece = Buffer.allocUnsafe(Math.min(left, 64 * 1024))
    const read = readSync(open, piece, 0, piece.length, null)
    if (read === 0) break
    pieces.push(piece.subarray(0, read))
    left -= read
  }
  return Buffer.concat(pieces)
}
