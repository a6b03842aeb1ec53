// Throw-away folders for tests. They live in the user's cache folder and not in the system's temp folder, because
// codex refuses to put its sandbox programs under a temp folder, and then commands with a terminal fail.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'

export interface ScratchFolder extends AsyncDisposable {
  readonly path: string
  /** Deletes the folder. A codex that is just ending may still write to it: end codex first. */
  remove(): Promise<void>
}

/** `dir` is made when it does not exist, and stays. */
export async function makeScratchFolder(name: string, dir = defaultDir()): Promise<ScratchFolder> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(path.join(dir, `${name}-`))
  const remove = () => removeFolder(folder)
  return { path: folder, remove, [Symbol.asyncDispose]: remove }
}

function defaultDir(): string {
  return path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'drawbridge-testing')
}

// codex deletes and creates files (SQLite's journals) while it ends, so one pass can trip over them.
async function removeFolder(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
    } catch (error) {
      if (attempt === 10) throw error
    }
  }
}
