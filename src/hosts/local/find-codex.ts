import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'
import { CodexUnsuitableError } from './codex-unsuitable-error.ts'
import { behindLauncher, bundledCodex, type Target } from './npm-codex.ts'

export interface FoundCodex {
  readonly path: string
  readonly source: 'option' | 'env' | 'path' | 'bundled'
}

export interface CodexSearch extends Target {
  readonly codexPath?: string
  readonly env: NodeJS.ProcessEnv
}

/**
 * Which codex to run: `codexPath`, else DRAWBRIDGE_CODEX, else the one on PATH, else the npm package next to us.
 * One that was named but is not there is an error: no other is taken in its place.
 */
export function findCodex(search: CodexSearch): FoundCodex {
  const { codexPath, env } = search
  if (codexPath) return { path: named(codexPath, '--codex (the option codexPath)', search), source: 'option' }
  if (env.DRAWBRIDGE_CODEX) {
    return { path: named(env.DRAWBRIDGE_CODEX, 'DRAWBRIDGE_CODEX', search), source: 'env' }
  }
  const onPath = findOnPath('codex', search)
  if (onPath) return { path: behindLauncher(onPath, search) ?? onPath, source: 'path' }
  const bundled = bundledCodex(search)
  if (bundled) return { path: bundled, source: 'bundled' }
  throw new CodexUnsuitableError('codex is neither on PATH nor installed as an npm package', {
    code: 'codex-not-found',
    codexPath: 'codex',
  })
}

/** A path, or a bare name to look up on PATH. */
function named(name: string, namedBy: string, search: CodexSearch): string {
  const isBareName = path.basename(name) === name
  const file = isBareName ? findOnPath(name, search) : path.resolve(name)
  const state = file ? stateOf(file) : 'missing'
  if (file && state === 'executable') return behindLauncher(file, search) ?? file
  const codexPath = file ?? name
  if (state === 'missing') {
    const message = `there is no codex at ${codexPath}, which ${namedBy} names`
    throw new CodexUnsuitableError(message, { code: 'codex-not-found', codexPath })
  }
  const message = `${codexPath}, which ${namedBy} names, is not a file we may execute`
  throw new CodexUnsuitableError(message, { code: 'codex-not-executable', codexPath })
}

function findOnPath(name: string, { env, platform }: CodexSearch): string | null {
  const isWindows = platform === 'win32'
  const searchPath = isWindows ? (env.PATH ?? env.Path) : env.PATH
  const endings = isWindows ? ['.exe', '.cmd', ''] : ['']
  for (const folder of (searchPath ?? '').split(isWindows ? ';' : ':')) {
    if (!path.isAbsolute(folder)) continue // a codex in whatever folder we happen to be in is not to be trusted
    const file = endings
      .map((ending) => path.join(folder, name + ending))
      .find((f) => stateOf(f) === 'executable')
    if (file) return file
  }
  return null
}

function stateOf(file: string): 'executable' | 'missing' | 'unusable' {
  try {
    if (!statSync(file).isFile()) return 'unusable'
    accessSync(file, constants.X_OK)
    return 'executable'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unusable'
  }
}
