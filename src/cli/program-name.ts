import { existsSync } from 'node:fs'
import path from 'node:path'

/** How a person calls this program: by its name where the shell finds that, else by its path, as in a clone. */
export function programName(script: string, env: NodeJS.ProcessEnv): string {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '')
  if (folders.some((folder) => existsSync(path.join(folder, 'drawbridge')))) return 'drawbridge'
  // What the launcher starts on another Node is not itself to be called.
  const launcher = path.join(path.dirname(script), '..', '..', 'bin', 'drawbridge')
  return (
    [script, launcher].find((file) => path.basename(file) === 'drawbridge' && existsSync(file)) ??
    'drawbridge'
  )
}
