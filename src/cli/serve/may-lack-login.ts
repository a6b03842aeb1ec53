import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Whether this codex home has neither a login nor a provider of its own. Only a look: codex itself has the last word. It
 * takes no key from the environment.
 */
export function mayLackLogin(codexHome: string): boolean {
  if (existsSync(path.join(codexHome, 'auth.json'))) return false
  try {
    return !/^\s*model_provider\s*=/m.test(readFileSync(path.join(codexHome, 'config.toml'), 'utf8'))
  } catch {
    return true
  }
}
