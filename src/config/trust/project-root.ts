// Which repository a folder belongs to: the key under which trust is kept. Reads files only and never runs git, because
// a repository's own configuration can make git run code.
import { realpathSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { readSmallFile } from '../read-small-file.ts'

/** Longer than any path a file system takes. */
const MAX_POINTER_BYTES = 64 * 1024

/**
 * The folder that trust in `folder` is kept for, as codex chooses it: the top of the git repository, for a linked
 * worktree that of its main repository, outside of any repository the folder itself. Symlinks are resolved.
 */
export function projectRoot(folder: string): string {
  const top = checkoutTop(folder)
  return mainRepository(top) ?? top
}

/**
 * The nearest folder upwards that is a git checkout, or the folder itself. An empty `.git` folder does not count: codex
 * leaves them behind in what its sandbox can write to, /tmp included.
 */
export function checkoutTop(folder: string): string {
  return topWith(folder, (dotGit) => exists(path.join(dotGit, 'HEAD')) || isFile(dotGit))
}

/** The same as codex sees it: anything named `.git` counts. */
export function codexTop(folder: string): string {
  return topWith(folder, exists)
}

function topWith(folder: string, isCheckout: (dotGit: string) => boolean): string {
  const start = realPath(folder)
  for (let at = start; ; at = path.dirname(at)) {
    if (isCheckout(path.join(at, '.git'))) return at
    if (at === path.dirname(at)) return start
  }
}

/** With symlinks resolved as far as the path exists. */
export function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return path.resolve(folder)
  }
}

function exists(file: string): boolean {
  return factsOf(file) !== null
}

/** A pipe in its place is no checkout either, but one more reason to stop here. */
function isFile(file: string): boolean {
  return factsOf(file)?.isDirectory() === false
}

function factsOf(file: string): Stats | null {
  try {
    return statSync(file)
  } catch {
    return null
  }
}

/**
 * The root of the repository that `top` is a linked worktree of; null for everything else. Both sides must agree: any
 * folder can hold a `.git` file that names a trusted repository, only that repository can name the folder.
 */
function mainRepository(top: string): string | null {
  const entry = claimedEntry(top)
  if (entry === null) return null
  const common = path.dirname(path.dirname(entry))
  const back = pointerIn(path.join(entry, 'gitdir'))
  if (path.basename(common) !== '.git' || back === null) return null
  return realPath(path.resolve(entry, back)) === path.join(top, '.git') ? path.dirname(common) : null
}

/**
 * The repository whose worktree `folder` only says it is; null when it says nothing, or the truth. codex up to 0.142.5
 * believes it: with trust in that repository it starts what this folder names.
 */
export function falselyClaimedRoot(folder: string): string | null {
  const top = codexTop(folder)
  const entry = claimedEntry(top)
  if (entry === null || mainRepository(top) !== null) return null
  return path.dirname(path.dirname(path.dirname(entry)))
}

/** `<repository>/.git/worktrees/<name>`, as the `.git` file at the top of a worktree names it. */
function claimedEntry(top: string): string | null {
  const pointer = pointerIn(path.join(top, '.git'))
  const named = pointer === null ? null : /^gitdir:(.*)$/s.exec(pointer)?.[1]?.trim()
  if (!named) return null
  const entry = realPath(path.resolve(top, named))
  return path.basename(path.dirname(entry)) === 'worktrees' ? entry : null
}

/** What a small text file says; null when it is no such file. */
function pointerIn(file: string): string | null {
  const read = readSmallFile(file, MAX_POINTER_BYTES)
  return 'bytes' in read && read.bytes.length > 0 ? read.bytes.toString('utf8').trim() : null
}
