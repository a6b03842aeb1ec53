import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

/** How to see something work, for whoever has no login; nothing for those who have. `script`: what runs now. */
export function demoHint(
  env: NodeJS.ProcessEnv,
  { isWanted, script }: { isWanted: boolean; script: string },
): string[] {
  if (!isWanted && hasModel(env)) return []
  const why = isWanted ? 'A demo model is built in' : 'Codex is not logged in, so a demo model is built in'
  return [
    `${why}: the real Codex, scripted answers, no account. Try, in another terminal:`,
    `  ${typed(script, env)} task start --demo --wait "what is in this folder?"`,
    ...(isWanted
      ? []
      : ['For the real thing log in on the System page of the console, or with `codex login`.']),
  ]
}

/** How a person calls this program: by its name where the shell finds that, else by its path, as in a clone. */
function typed(script: string, env: NodeJS.ProcessEnv): string {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '')
  if (folders.some((folder) => existsSync(path.join(folder, 'drawbridge')))) return 'drawbridge'
  return path.basename(script) === 'drawbridge' ? script : 'drawbridge'
}

/** A login, a key, or a provider of one's own. Only a look: codex itself has the last word. */
function hasModel(env: NodeJS.ProcessEnv): boolean {
  if (env.OPENAI_API_KEY || env.CODEX_API_KEY) return true
  const home = env.CODEX_HOME || path.join(env.HOME || homedir(), '.codex')
  if (existsSync(path.join(home, 'auth.json'))) return true
  try {
    return /^\s*model_provider\s*=/m.test(readFileSync(path.join(home, 'config.toml'), 'utf8'))
  } catch {
    return false
  }
}
