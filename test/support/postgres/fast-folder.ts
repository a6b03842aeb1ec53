import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const IN_MEMORY = '/dev/shm'
const NEEDED_BYTES = 4 * 2 ** 30

/** In memory where this machine has room: copying a database's 400 files there takes a fifth of the processor time. */
export function fastFolder(): string {
  try {
    accessSync(IN_MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return bavail * bsize > NEEDED_BYTES ? IN_MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
