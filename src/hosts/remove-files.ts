import { rmSync } from 'node:fs'

/** Removes what can be removed: a file that stays does no harm, and must not keep anything from ending. */
export function removeFiles(...files: readonly string[]): void {
  for (const file of files) {
    try {
      rmSync(file, { force: true })
    } catch {} // not ours any more, or the disk is gone
  }
}
