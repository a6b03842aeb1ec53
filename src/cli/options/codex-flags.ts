// Which codex, and which home of it, as the command line names them.
import { statSync } from 'node:fs'
import path from 'node:path'
import { UsageError } from '../process/index.ts'

/** A path is as seen from here, wherever codex is started; a bare name is looked up on PATH there. */
export function namedCodex(name: string): string {
  return path.basename(name) === name ? name : path.resolve(name)
}

/** A home that is not there has no login and no settings: it was mistyped, or has yet to be made. */
export function namedCodexHome(name: string, by = '--codex-home'): string {
  const folder = path.resolve(name)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new UsageError(
    `${by}: there is no folder ${folder}; \`drawbridge login --codex-home ${folder}\` makes it and logs in`,
  )
}
