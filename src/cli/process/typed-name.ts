// How people call this program. Every hint that names a command goes through `asTyped`: from a clone, or with npx, the
// shell does not find `drawbridge`.
import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'

interface Call {
  /** The program as Node was given it. */
  readonly script: string
  readonly env: NodeJS.ProcessEnv
  /** null when the folder is gone. */
  readonly cwd: string | null
}

const NAME = 'drawbridge'
let called: () => string = () => NAME

/** Said once, by `main`; looked up when the first hint is shown. */
export function callItBy(name: () => string): void {
  let known: string | null = null
  called = () => (known ??= name())
}

/** Our own text, with its commands as this person would type them. Not for what others wrote. */
export function asTyped(text: string): string {
  return text.replaceAll(/(?<![\w./-])drawbridge(?= [a-z-])/g, () => called())
}

/** `drawbridge` where the shell finds this one by that name, else what does the same: npx, or the path. */
export function typedName({ script: launcher, env, cwd }: Call): string {
  if (path.basename(launcher) !== NAME) return NAME
  if (env.npm_command === 'exec')
    return launcher.includes(`${path.sep}_npx${path.sep}`) ? 'npx codex-drawbridge' : 'npx drawbridge'
  if (foldersOf(env).some((folder) => isSame(path.join(folder, NAME), launcher))) return NAME
  return quoted(fromHere(launcher, cwd))
}

/** npm puts its own folders on the PATH of what it runs; the shell does not have them. */
function foldersOf({ PATH = '' }: NodeJS.ProcessEnv): string[] {
  const ofNpm = path.join('node_modules', '.bin')
  return PATH.split(path.delimiter).filter((folder) => path.isAbsolute(folder) && !folder.endsWith(ofNpm))
}

function isSame(found: string, launcher: string): boolean {
  try {
    return existsSync(found) && realpathSync(found) === realpathSync(launcher)
  } catch {
    return false
  }
}

function fromHere(launcher: string, cwd: string | null): string {
  const relative = cwd === null ? '' : path.relative(cwd, launcher)
  const isBelow = relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative)
  if (!isBelow) return launcher
  return relative === NAME ? `./${NAME}` : relative
}

/** One word for a shell. */
export function quoted(word: string): string {
  return /^[\w./@%+=:,\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
