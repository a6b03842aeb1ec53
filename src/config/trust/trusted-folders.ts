// Which folders a person has trusted, and what was shown then. Every door and every process shares this one file.
import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../../util/make-folder.ts'
import { withFileLock } from '../file-lock.ts'
import { readSmallFile } from '../read-small-file.ts'
import type { ProjectLook } from './project-contents.ts'
import { realPath } from './project-root.ts'
import { TrustError } from './trust-error.ts'

const MAX_BYTES = 16 * 1024 * 1024
/** What was shown of one project over time: other branches, other worktrees. The oldest are forgotten first. */
const MAX_LAYERS = 500
const LOCK_WAIT_MS = 3000

const FileText = z.object({
  folders: z.array(
    z.object({
      root: z.string(),
      layers: z.array(z.object({ folder: z.string(), digest: z.string() })),
      trustedAt: z.number(),
      by: z.string(),
    }),
  ),
})

export interface TrustedFolder {
  readonly root: string
  /** What was shown when it was trusted; `folder` is the `.codex` folder, relative to the top of the checkout. */
  readonly layers: readonly { readonly folder: string; readonly digest: string }[]
  /** Of the last time. */
  readonly trustedAt: number
  readonly by: string
}

/** As direnv: `changed` is trusted by name, but what it would start is not what was shown. It counts as untrusted. */
export type Standing = 'trusted' | 'changed' | 'untrusted'

/** Where the record is, in our data folder. */
export function trustedFoldersFile(dataDir: string): string {
  return path.join(dataDir, 'trusted-folders.json')
}

export class TrustedFolders {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** Throws a TrustError when the file is damaged: nobody's trust may be lost or guessed. */
  list(): TrustedFolder[] {
    const read = readSmallFile(this.#file, MAX_BYTES)
    this.#refuseSymlink()
    if (!('bytes' in read)) {
      if (read.problem === null) return []
      throw new TrustError('trust-damaged', `${this.#file} ${read.problem}`)
    }
    try {
      return FileText.parse(JSON.parse(read.bytes.toString('utf8'))).folders
    } catch (cause) {
      throw new TrustError(
        'trust-damaged',
        `${this.#file} is damaged: mend it, or remove it to trust no folder`,
        { cause },
      )
    }
  }

  /** Trusts exactly what was looked at. Refuses what could not be shown whole. */
  trust(look: ProjectLook, { by, now }: { by: string; now: number }): TrustedFolder {
    const hidden = look.layers.find(({ problem }) => problem !== null)
    if (hidden)
      throw new TrustError('trust-unreadable', `${hidden.folder} cannot be trusted: ${hidden.problem}`)
    return this.#change((folders) => {
      const before = folders.find(({ root }) => root === look.root)
      const shown = shownLayers(look)
      const kept = (before?.layers ?? []).filter((layer) => !shown.some((each) => isSame(each, layer)))
      const trusted = { root: look.root, layers: [...kept, ...shown].slice(-MAX_LAYERS), trustedAt: now, by }
      return { folders: [...folders.filter((each) => each !== before), trusted], result: trusted }
    })
  }

  /** false when it was not trusted. */
  revoke(root: string): boolean {
    return this.#change((folders) => {
      const left = folders.filter((each) => each.root !== root && each.root !== realPath(root))
      return { folders: left, result: left.length < folders.length }
    })
  }

  standing(look: ProjectLook): Standing {
    const trusted = this.list().find(({ root }) => root === look.root)
    if (!trusted) return 'untrusted'
    const isAsShown =
      look.layers.every(({ problem }) => problem === null) &&
      shownLayers(look).every((layer) => trusted.layers.some((each) => isSame(each, layer)))
    return isAsShown ? 'trusted' : 'changed'
  }

  #change<T>(change: (folders: readonly TrustedFolder[]) => { folders: TrustedFolder[]; result: T }): T {
    makeFolder(path.dirname(this.#file))
    const work = () => {
      const { folders, result } = change(this.list())
      this.#write(`${JSON.stringify({ folders }, null, 2)}\n`)
      return result
    }
    return withFileLock(`${this.#file}.lock`, work, { waitMs: LOCK_WAIT_MS, busy })
  }

  #write(text: string): void {
    const draft = `${this.#file}.${randomUUID()}.new`
    try {
      const open = openSync(draft, 'wx', 0o600)
      try {
        writeSync(open, text)
        fsyncSync(open)
      } finally {
        closeSync(open)
      }
      renameSync(draft, this.#file)
    } catch (error) {
      rmSync(draft, { force: true })
      throw error
    }
  }

  /** Whoever can place a link there would choose what is trusted. */
  #refuseSymlink(): void {
    if (lstatSync(this.#file, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new TrustError('trust-damaged', `${this.#file} is a symlink: remove it`)
  }
}

function busy(lock: string): TrustError {
  return new TrustError('trust-busy', `${lock} is held by another process`, { isRetryable: true })
}

type Shown = TrustedFolder['layers'][number]

function shownLayers({ top, layers }: ProjectLook): Shown[] {
  return layers.map(({ folder, digest }) => ({ folder: path.relative(top, folder), digest }))
}

function isSame(one: Shown, other: Shown): boolean {
  return one.folder === other.folder && one.digest === other.digest
}
