import { statSync } from 'node:fs'
import path from 'node:path'
import type { PathKind } from '../../codex/index.ts'

/** What an absolute path leads to on this machine; null when it is not absolute, or that cannot be told. */
export function kindOf(place: string): PathKind | null {
  return path.isAbsolute(place) ? kindAt(place) : null
}

/** The same where codex was started in a known folder: codex takes relative paths from there. */
export function kindFrom(folder: string | undefined): (place: string) => PathKind | null {
  return (place) => kindAt(path.resolve(folder ?? '.', place))
}

function kindAt(place: string): PathKind | null {
  try {
    const facts = statSync(place)
    if (facts.isDirectory()) return 'folder'
    return facts.isFile() ? 'file' : 'other'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : null
  }
}
