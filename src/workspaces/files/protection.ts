// What is never shown, wherever a task works: logins and the data folder of Drawbridge.
import type { Stats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { FileError } from './file-error.ts'
import { isAtOrBelow, type Pinned } from './pinned.ts'

/** In any `.codex` folder, also in one that nobody has told us of. */
const LOGIN = /(?:^|\/)\.codex\/(?:auth|\.credentials)\.json$/

export class Protection {
  readonly #paths: readonly string[]

  /** Absolute paths, of files and folders. */
  constructor(paths: readonly string[]) {
    this.#paths = paths
  }

  /** Throws `file-protected`. */
  async check({ real, facts }: Pick<Pinned, 'real' | 'facts'>): Promise<void> {
    const isHit = LOGIN.test(real) || (await this.#real()).some((each) => isAtOrBelow(each, real))
    if (isHit || (facts.isFile() && facts.nlink > 1 && (await this.#isOneOf(facts))))
      throw new FileError(
        'file-protected',
        `${JSON.stringify(path.basename(real))} is a login, or belongs to Drawbridge: it is not shown (protectedPaths in settings.json)`,
      )
  }

  /** Under both names, as they are now: they may have been made meanwhile. */
  async #real(): Promise<string[]> {
    const real = await Promise.all(this.#paths.map((each) => realpath(each).catch(() => each)))
    return [...new Set([...this.#paths, ...real])]
  }

  /** Another name of a protected file: a hard link. */
  async #isOneOf(facts: Stats): Promise<boolean> {
    for (const each of await this.#real()) {
      const names = await readdir(each).catch(() => [])
      for (const file of [each, ...names.map((name) => path.join(each, name))]) {
        const other = await stat(file).catch(() => null)
        if (other && other.dev === facts.dev && other.ino === facts.ino) return true
      }
    }
    return false
  }
}
