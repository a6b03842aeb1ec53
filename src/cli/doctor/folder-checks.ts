import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Check, fail, ok, warn } from './check.ts'

/** codex's own folder: where its settings, login and threads are. */
export function checkCodexHome(folder: string, { tempDir }: { tempDir: string }): Check {
  if (!existsSync(folder))
    return fail(
      'codex-home',
      `CODEX_HOME does not exist: ${folder}`,
      `make it (mkdir -p ${folder}) or name another`,
    )
  if (!isWritable(folder))
    return fail(
      'codex-home',
      `CODEX_HOME is not a folder we may write to: ${folder}`,
      `make ${folder} writable`,
    )
  if (!isInside(folder, tempDir)) return ok('codex-home', `CODEX_HOME is ${folder}`)
  // codex: "Refusing to create helper binaries under temporary dir" (0.166)
  const what = `CODEX_HOME is under the temp folder, where Codex cannot run commands that need a terminal: ${folder}`
  return warn('codex-home', what, 'set CODEX_HOME to a folder that is not temporary')
}

/** Ours: made when first needed, so it may be missing as long as it can be made. */
export function checkDataFolder(folder: string): Check {
  const nearest = nearestExisting(folder)
  const isMissing = nearest !== folder
  if (isWritable(nearest)) return ok('data-folder', `${folder}${isMissing ? ' (made when needed)' : ''}`)
  const what = `Drawbridge's data folder cannot be ${isMissing ? 'made' : 'written to'}: ${folder}`
  return fail('data-folder', what, `make ${nearest} writable, or set DRAWBRIDGE_HOME to another folder`)
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || path.dirname(folder) === folder
    ? folder
    : nearestExisting(path.dirname(folder))
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}

function isInside(folder: string, parent: string): boolean {
  if (!existsSync(parent)) return false
  const relative = path.relative(realpathSync(parent), realpathSync(folder))
  return !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
}
