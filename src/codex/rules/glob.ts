// Globs over `/`-separated paths: `**` is any number of folders, `*` and `?` stay inside one. Never slow.
import { fold } from './plain-text.ts'

/** Whether a glob is one this matcher reads: absolute, under `@workspace` or `@home`, or anywhere (`**` first). */
export function whyNotGlob(glob: string): string | null {
  if (!/^(?:\/|@(?:workspace|home)(?:\/|$)|\*\*(?:\/|$))/.test(glob))
    return 'must start with /, @workspace, @home or **'
  const segments = glob.split('/').slice(glob.startsWith('/') ? 1 : 0)
  if (segments.some((segment) => segment.includes('**') && segment !== '**')) return 'has ** inside a name'
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'must not contain . or ..'
  if (segments.slice(0, -1).includes('')) return 'has an empty name'
  if (/[[\]{}!\\]/.test(glob)) return 'knows only **, * and ? as wildcards'
  return null
}

const ANCHOR = /^@(workspace|home)(?=\/|$)/

/** How a path is meant: itself, itself with all below it, or itself with anything below it. */
type Reach = 'path' | 'whole-tree' | 'some-of-tree'

/** Whether an absolute, normal path is like a glob. `@workspace` stands for each of the roots, `@home` for the homes. */
export function matchesGlob(
  path: string,
  glob: string,
  { roots, homes, reach = 'path' }: GlobOptions,
): boolean {
  const [anchor, name] = ANCHOR.exec(glob) ?? []
  if (anchor === undefined) return matches(path, glob, reach)
  const below = glob.slice(anchor.length)
  return (name === 'home' ? homes : roots).some((root) => {
    if (isWithin(path, root)) return matches(path.slice(root.length), below, reach)
    return reach === 'some-of-tree' && isWithin(root, path)
  })
}

/** The same on suspicion, for refusals: letter case and look-alike forms do not matter. */
export function mayMatchGlob(path: string, glob: string, { roots, homes, reach }: GlobOptions): boolean {
  if (matchesGlob(path, glob, { roots, homes, reach })) return true
  const folded = { roots: roots.map(fold), homes: homes.map(fold), reach }
  return matchesGlob(fold(path), fold(glob), folded)
}

/** What `@workspace` and `@home` stand for. */
export interface Anchors {
  readonly roots: readonly string[]
  readonly homes: readonly string[]
}

interface GlobOptions extends Anchors {
  readonly reach?: Reach | undefined
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`)
}

function matches(path: string, glob: string, reach: Reach): boolean {
  if (reach === 'whole-tree') return segmentsOf(glob).at(-1) === '**' && isLike(path, glob)
  return isLike(path, glob) || (reach === 'some-of-tree' && isAbove(path, glob))
}

function isLike(path: string, glob: string): boolean {
  return matchesSequence(segmentsOf(path), segmentsOf(glob), (segment) => segment === '**', matchesName)
}

/** Whether something below a folder may be like the glob. */
function isAbove(folder: string, glob: string): boolean {
  const wanted = segmentsOf(glob)
  const depth = segmentsOf(folder).length
  const deep = wanted.indexOf('**')
  const start = deep >= 0 && deep <= depth ? [...wanted.slice(0, deep), '**'] : wanted.slice(0, depth)
  return isLike(folder, start.join('/'))
}

/** `*` and `?` in one name. */
export function matchesName(name: string, pattern: string): boolean {
  return matchesSequence(
    [...name],
    [...pattern],
    (item) => item === '*',
    (character, wanted) => wanted === '?' || wanted === character,
  )
}

/** Wildcard match with one point of return, so no input makes it slow. */
function matchesSequence(
  items: readonly string[],
  pattern: readonly string[],
  isAny: (wanted: string) => boolean,
  isLike: (item: string, wanted: string) => boolean,
): boolean {
  let at = 0
  let wanted = 0
  let lastAny = -1
  let resumeAt = 0
  while (at < items.length) {
    if (wanted < pattern.length && isAny(pattern[wanted]!)) {
      lastAny = wanted++
      resumeAt = at
    } else if (wanted < pattern.length && isLike(items[at]!, pattern[wanted]!)) {
      at += 1
      wanted += 1
    } else if (lastAny >= 0) {
      wanted = lastAny + 1
      at = ++resumeAt
    } else return false
  }
  while (wanted < pattern.length && isAny(pattern[wanted]!)) wanted += 1
  return wanted === pattern.length
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}
