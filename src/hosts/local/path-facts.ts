import type { PathFacts } from '../../codex/index.ts'
import { kindFrom, kindOf } from './kind-of.ts'
import { realPath } from './real-path.ts'

/** Paths on this machine. */
export const localPaths: PathFacts = {
  realPath: async (place) => realPath(place),
  kindOf: async (place) => kindOf(place),
}

/** The same where codex was started in a known folder: codex takes relative paths from there. */
export function localPathsFrom(folder: string | undefined): PathFacts {
  const kind = kindFrom(folder)
  return { ...localPaths, kindOf: async (place) => kind(place) }
}
