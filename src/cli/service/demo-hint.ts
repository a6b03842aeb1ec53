import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { asTyped } from '../typed-name.ts'

/** How to see something work, for whoever has no login; nothing for those who have. */
export function demoHint(env: NodeJS.ProcessEnv, { isWanted }: { isWanted: boolean }): string[] {
  if (!isWanted && hasModel(env)) return []
  const why = isWanted ? 'A demo model is built in' : 'Codex is not logged in, so a demo model is built in'
  return [
    `${why}: the real Codex, scripted answers, no account. Try, in another terminal:`,
    '  drawbridge task start --demo --wait "what is in this folder?"',
    ...(isWanted
      ? []
      : ['For the real thing log in: on the System page of the console, or with `drawbridge login`.']),
  ].map(asTyped)
}

/** A login, or a provider of one's own. Only a look: codex itself has the last word. It takes no key from the environment. */
function hasModel(env: NodeJS.ProcessEnv): boolean {
  const home = env.CODEX_HOME || path.join(env.HOME || homedir(), '.codex')
  if (existsSync(path.join(home, 'auth.json'))) return true
  try {
    return /^\s*model_provider\s*=/m.test(readFileSync(path.join(home, 'config.toml'), 'utf8'))
  } catch {
    return false
  }
}
