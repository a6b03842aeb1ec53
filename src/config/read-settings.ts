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
const VARIABLES: Readonly<Record<string, Variable>> = {
  DRAWBRIDGE_HOST: { key: 'host', read: String },
  DRAWBRIDGE_PORT: { key: 'port', read: Number },
  DRAWBRIDGE_BASE_URL: { key: 'baseUrl', read: String },
  DRAWBRIDGE_MAX_WORKING: { key: 'maxWorking', read: Number },
  DRAWBRIDGE_MAX_DEPTH: { key: 'maxDepth', read: Number },
  DRAWBRIDGE_APPROVAL_TIMEOUT_MS: { key: 'approvalTimeoutMs', read: Number },
  DRAWBRIDGE_NOTIFY: { key: 'notify', read: words },
  DRAWBRIDGE_WEBHOOK_SECRET: { key: 'webhookSecret', read: String },
  DRAWBRIDGE_DATABASE_URL: {
    key: 'database',
    read: (text) => (text.trim() === 'sqlite' ? null : text.trim()),
  },
  DRAWBRIDGE_WORKER_NAME: { key: 'worker', part: 'name', read: (text) => text.trim() },
  DRAWBRIDGE_WORKER_LABELS: { key: 'worker', part: 'labels', read: words },
}

interface Variable {
  readonly key: string
  /** Of a setting with parts. */
  readonly part?: string
  readonly read: (text: string) => unknown
}

export function settingsFile(dataDir: string): string {
  return path.join(dataDir, 'settings.json')
}

/** Without a file everything is as by default. Throws a SettingsError that says where the mistake is. */
export function readSettings(dataDir: string, env: NodeJS.ProcessEnv): Settings {
  return checked(mergedSettings(dataDir, env))
}

/**
 * For those that open the store: with DATABASE_URL too, unless the file or DRAWBRIDGE_DATABASE_URL names a database, or
 * SQLite. Other programs use that variable, so an address that is not one of PostgreSQL's is refused, never passed over.
 */
export function readStoreSettings(dataDir: string, env: NodeJS.ProcessEnv): Settings {
  const merged = mergedSettings(dataDir, env)
  const url = env.DATABASE_URL?.trim() ?? ''
  if (url === '' || 'database' in merged) return checked(merged)
  if ('problem' in toSettings({ database: url })) throw new SettingsError(FOREIGN_DATABASE)
  const settings = checked({ ...merged, database: url })
  if (settings.passEnv.includes('DATABASE_URL')) throw new SettingsError(PASSED_DATABASE)
  return settings
}

const FOREIGN_DATABASE =
  'DATABASE_URL is not the address of a PostgreSQL database (postgres://user@host/database). If it is for another ' +
  'program, set DRAWBRIDGE_DATABASE_URL to the address that Drawbridge shall use, or to sqlite.'

const PASSED_DATABASE =
  "passEnv: DATABASE_URL is the address of Drawbridge's own database, which codex must not see. Name that one in " +
  'DRAWBRIDGE_DATABASE_URL instead, and DATABASE_URL can be passed.'

function mergedSettings(dataDir: string, env: NodeJS.ProcessEnv): Record<string, unknown> {
  const file = settingsFile(dataDir)
  const written = fileValue(file)
  const fromFile = toSettings(written)
  if ('problem' in fromFile) throw new SettingsError(`${file}: ${fromFile.problem}`)
  let merged: Record<string, unknown> = written
  for (const [name, { key, part, read }] of Object.entries(VARIABLES)) {
    const text = env[name]
    if (text === undefined || text.trim() === '') continue
    const value = part === undefined ? read(text) : { ...Object(merged[key]), [part]: read(text) }
    merged = { ...merged, [key]: value }
    const told = toSettings(merged)
    if ('problem' in told) throw new SettingsError(`${name}: ${told.problem}`)
  }
  return merged
}

function checked(merged: Record<string, unknown>): Settings {
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
