import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

/** The codex home of demo tasks: tasks with this one run on the scripted model of the service. */
export function demoHome(dataDir: string): string {
  return path.join(dataDir, 'demo', 'codex-home')
}

/**
 * A home and a folder that demo tasks can be started with at once. The folder is not in the data folder: commands cannot
 * read that.
 */
export function demoOffer(dataDir: string, env: NodeJS.ProcessEnv): { codexHome: string; cwd: string } {
  const cache = env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), '.cache')
  const name = createHash('sha256').update(path.resolve(dataDir)).digest('hex').slice(0, 12)
  const cwd = path.join(cache, 'drawbridge', 'demo', name)
  mkdirSync(cwd, { recursive: true, mode: 0o700 })
  return { codexHome: demoHome(dataDir), cwd }
}
