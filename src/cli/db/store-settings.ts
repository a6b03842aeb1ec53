import { registerSecrets } from '../../codex/index.ts'
import { readStoreSettings, type Settings } from '../../config/index.ts'
import { passwordIn } from '../service/index.ts'

/** With the password of the database hidden from now on, whatever is printed. */
export function storeSettings(dataDir: string, env: NodeJS.ProcessEnv): Settings {
  const settings = readStoreSettings(dataDir, env)
  if (settings.database !== null) registerSecrets(passwordIn(settings.database))
  return settings
}
