// A folder that is open: what is in it is reached through it, so nobody can put a link in the place of a folder on the way.
// Linux has a name for it below /proc; elsewhere it is its path, and what was opened is compared with what was seen.
import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync, type Stats } from 'node:fs'

const HAS_PROC = process.platform === 'linux'

export class FolderHandle {
  readonly #fd: number
  readonly #path: Buffer

  private constructor(fd: number, place: Buffer) {
    this.#fd = fd
    this.#path = HAS_PROC ? Buffer.from(`/proc/self/fd/${fd}`) : place
  }

  static open(place: Buffer): FolderHandle {
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
    return new FolderHandle(openSync(place, flags), place)
  }

  folder(name: Buffer): FolderHandle {
    return FolderHandle.open(this.at(name))
  }

  at(name: Buffer): Buffer {
    return Buffer.concat([this.#path, Buffer.from('/'), name])
  }

  /** In the order of their bytes, which is the same everywhere. */
  names(): Buffer[] {
    return readdirSync(this.#path, { encoding: 'buffer' }).sort(Buffer.compare)
  }

  stat(name: Buffer): Stats | null {
    return lstatSync(this.at(name), { throwIfNoEntry: false }) ?? null
  }

  link(name: Buffer): Buffer {
    return readlinkSync(this.at(name), { encoding: 'buffer' })
  }

  /** To read; never what a link leads to, never a pipe. */
  file(name: Buffer): number {
    return openSync(this.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  }

  close(): void {
    closeSync(this.#fd)
  }
}
