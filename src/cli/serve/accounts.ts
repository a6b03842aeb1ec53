import path from 'node:path'
import { Accounts, accountsFolder, type KeySource } from '../../accounts/index.ts'
import { openCodex } from '../../codex/index.ts'
import type { Settings } from '../../config/index.ts'
import { type AppServerPool, type LocalHostOptions, localHost, runCodex } from '../../hosts/index.ts'
import type { Store } from '../../store/index.ts'
import { workerIdOf } from '../service/index.ts'

interface AccountsParts {
  readonly database: Pick<Store, 'db'>
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly settings: Pick<Settings, 'accounts'>
  readonly pool: AppServerPool
  /** How app-servers are started here. */
  readonly host: LocalHostOptions
  readonly tell: (line: string) => void
}

/** OpenAI is asked about an access token. */
const LOGIN_MS = 30_000
const KEY_VARIABLE = 'DRAWBRIDGE_ACCOUNT_KEY'

/** The accounts of a service. Their app-servers are those of its pool, behind the lease. */
export function openAccounts({
  database,
  dataDir,
  settings,
  env,
  pool,
  host,
  tell,
}: AccountsParts): Accounts {
  const own = { ...host, registryDir: path.join(dataDir, 'app-servers') }
  // What became of a refresh or a logout is in its log alone.
  const extraEnv = { ...host.extraEnv, RUST_LOG: 'warn' }
  return new Accounts({
    db: database.db,
    dataDir,
    holder: workerIdOf(dataDir),
    keySource: keySourceOf(settings, env),
    appServers: pool,
    openCodex: (codexHome, options) =>
      openCodex(localHost({ ...own, extraEnv, codexHome }), { experimental: true, redact: true, ...options }),
    runCodex: (args, { codexHome, input }) =>
      runCodex(args, { ...own, codexHome, input, timeoutMs: LOGIN_MS }),
    now: Date.now,
    tell,
  })
}

/** Whether a codex home is the private one of an account. */
export function isAccountHome(dataDir: string, home: string): boolean {
  return path.dirname(path.dirname(home)) === accountsFolder(dataDir) && path.basename(home) === 'home'
}

function keySourceOf({ accounts }: Pick<Settings, 'accounts'>, env: NodeJS.ProcessEnv): KeySource {
  if (env[KEY_VARIABLE]) return { from: 'variable', name: KEY_VARIABLE, value: env[KEY_VARIABLE] }
  return accounts.keyCommand === null ? { from: 'file' } : { from: 'command', command: accounts.keyCommand }
}
