import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { programName } from '../program-name.ts'

/** How to see something work, for whoever has no login; nothing for those who have. `script`: what runs now. */
export function demoHint(
  env: NodeJS.ProcessEnv,
  { isWanted, script }: { isWanted: boolean; script: string },
): string[] {
  if (!isWanted && hasModel(env)) return []
  const why = isWanted ? 'A demo is built in' : 'Codex is not logged in, so a demo is built in'
  const program = programName(script, env)
  return [
    `${why}: the real Codex, a scripted model, no account. Run it in the console, or in another terminal:`,
    `  ${program} task start --demo --wait "fix the failing test"`,
    ...(isWanted
      ? []
      : [`For the real thing log in on the System page of the console, or with: ${program} login`]),
  ]
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
