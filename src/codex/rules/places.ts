// Where the paths in a question really lead. This room does no I/O: the caller resolves.
import { type Anchors, isWithin } from './glob.ts'

/**
 * The real path of an absolute one: every symlink followed, then every `..` taken. Where the end of it does not exist
 * yet, the real path of what exists plus the rest. Null when that cannot be told (no access, a loop, another machine).
 * `~` alone is the home folder of the user codex runs as; null when the caller does not know it.
 */
export type Resolve = (path: string) => string | null

export class Places implements Anchors {
  /** Real workspace roots. `/` is no workspace. */
  readonly roots: readonly string[]
  /** The real home folder, where the workspace is or holds it, or is a hidden folder right in it; else none. */
  readonly homes: readonly string[]
  readonly #resolve: Resolve
  readonly #known = new Map<string, string | null>()

  constructor(workspaceRoots: readonly string[], resolve: Resolve) {
    this.#resolve = resolve
    const real = workspaceRoots.flatMap((root) => this.real(root, null) ?? [])
    this.roots = real.filter((root) => root !== '/')
    const home = absolute(resolve('~'))
    this.homes = home !== null && this.roots.some((root) => isHomeFolder(root, home)) ? [home] : []
  }

  /** The real path, or null. A relative path needs to know from where. */
  real(path: string, cwd: string | null): string | null {
    const whole = join(path, cwd)
    if (whole === null || whole.includes('\0')) return null
    const known = this.#known.get(whole)
    if (known !== undefined) return known
    const real = absolute(this.#resolve(whole))
    this.#known.set(whole, real)
    return real
  }

  isInside(path: string, cwd: string | null): boolean {
    const real = this.real(path, cwd)
    return real !== null && this.roots.some((root) => isWithin(real, root))
  }

  /** The folder after `cd path`, or null: shells take `..` before links, the system after them. */
  afterCd(path: string, cwd: string | null): string | null {
    const target = join(path, cwd)
    if (target === null || path === '' || path.startsWith('-')) return null
    return this.real(normal(target), null) === this.real(target, null) ? target : null
  }

  /** Every path a word may name, for refusals. */
  named(word: string, cwd: string | null): string[] {
    return [...new Set(pathsIn(word).flatMap((path) => this.meant(path, cwd)))]
  }

  /** A path as written and as it really is, for refusals. */
  meant(path: string, cwd: string | null): string[] {
    const written = normal(join(path, cwd ?? '/')!)
    const real = this.real(path, cwd)
    return real === null ? [written] : [written, real]
  }
}

function absolute(resolved: string | null): string | null {
  return resolved?.startsWith('/') && resolved === normal(resolved) ? resolved : null
}

function isHomeFolder(root: string, home: string): boolean {
  if (isWithin(home, root)) return true
  return root.startsWith(`${home}/.`) && !root.slice(home.length + 1).includes('/')
}

/** `/a/./b/../c` as `/a/c`, by its text alone. */
export function normal(path: string): string {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return `/${kept.join('/')}`
}

function join(path: string, cwd: string | null): string | null {
  if (path.startsWith('/')) return path
  return cwd?.startsWith('/') ? `${cwd}/${path}` : null
}

/** The word, and what stands in it after `=`, `:`, `@` or an option's letter: `--file=/x`, `of=/x`, `-f/x`. */
export function pathsIn(word: string): string[] {
  const paths = word.startsWith('-') ? [] : [word]
  for (const { index } of word.matchAll(/[=:@,]/g)) paths.push(word.slice(index + 1))
  if (/^-[^-]/.test(word)) paths.push(word.slice(2))
  return paths.filter((path) => path !== '').slice(0, 16)
}
