import { readFileSync } from 'node:fs'
import path from 'node:path'
import { DrawbridgeError } from '../codex/index.ts'
import { type Settings, toSettings } from './settings.ts'

class SettingsError extends DrawbridgeError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { code: 'bad-settings', cause: options.cause })
  }
}

/** Variables that stand above the file, each with how its text is read. */
const VARIABLES: Readonly<Record<string, { key: string; read: (text: string) => unknown }>> = {
  DRAWBRIDGE_HOST: { key: 'host', read: String },
  DRAWBRIDGE_PORT: { key: 'port', read: Number },
  DRAWBRIDGE_BASE_URL: { key: 'baseUrl', read: String },
  DRAWBRIDGE_MAX_WORKING: { key: 'maxWorking', read: Number },
  DRAWBRIDGE_APPROVAL_TIMEOUT_MS: { key: 'approvalTimeoutMs', read: Number },
  DRAWBRIDGE_NOTIFY: { key: 'notify', read: words },
  DRAWBRIDGE_WEBHOOK_SECRET: { key: 'webhookSecret', read: String },
}

export function settingsFile(dataDir: string): string {
  return path.join(dataDir, 'settings.json')
}

/** Without a file everything is as by default. Throws a SettingsError that says where the mistake is. */
export function readSettings(dataDir: string, env: NodeJS.ProcessEnv): Settings {
  const file = settingsFile(dataDir)
  const written = fileValue(file)
  const fromFile = toSettings(written)
  if ('problem' in fromFile) throw new SettingsError(`${file}: ${fromFile.problem}`)
  let merged: Record<string, unknown> = written
  for (const [name, { key, read }] of Object.entries(VARIABLES)) {
    const text = env[name]
    if (text === undefined || text.trim() === '') continue
    merged = { ...merged, [key]: read(text) }
    const checked = toSettings(merged)
    if ('problem' in checked) throw new SettingsError(`${name}: ${checked.problem}`)
  }
  const all = toSettings(merged)
  if ('problem' in all) throw new SettingsError(all.problem)
  return all.settings
}

function fileValue(file: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new SettingsError(`cannot read ${file}: ${(cause as Error).message}`, { cause })
  }
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch (cause) {
    throw new SettingsError(`${file} is not JSON: ${(cause as Error).message}`, { cause })
  }
}

function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
