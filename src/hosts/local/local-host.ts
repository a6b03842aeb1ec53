import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { type AppServer, DEFAULT_MAX_LINE_BYTES, DrawbridgeError, type Host } from '../../codex/index.ts'
import { dataDir } from '../data-dir.ts'
import { codexVersion } from './codex-version.ts'
import { childEnvironment } from './environment.ts'
import { type FoundCodex, findCodex } from './find-codex.ts'
import { awaitFirstStart } from './first-start.ts'
import { reapOnce } from './reap-once.ts'
import { startAppServer } from './start-app-server.ts'

export interface LocalHostOptions {
  /** Path of the codex binary; by default DRAWBRIDGE_CODEX, then PATH, then the npm package next to us. */
  readonly codexPath?: string
  /** Made if missing. By default CODEX_HOME of `env`, else codex's own default. */
  readonly codexHome?: string
  /** The environment to choose from; by default that of this process. */
  readonly env?: NodeJS.ProcessEnv
  /** Set for codex, whatever the allowlist says. */
  readonly extraEnv?: Readonly<Record<string, string>>
  /** More variables of `env` to hand on, by name. */
  readonly passEnv?: readonly string[]
  /** Overrides of config.toml: dotted key to TOML value. Every user of the machine can see them: no secrets. */
  readonly config?: Readonly<Record<string, string>>
  /** More arguments for `codex app-server`. */
  readonly args?: readonly string[]
  readonly cwd?: string
  /** Where our app-servers are recorded, so that they can be ended should we be killed; null to do without. */
  readonly registryDir?: string | null
  readonly maxLineBytes?: number
}

export interface SuitableCodex extends FoundCodex {
  readonly version: string
}

export interface LocalHost extends Host {
  readonly registryDir: string | null
  /** Which codex `open` would start. Rejects with a CodexUnsuitableError when there is none. */
  inspect(options?: { signal?: AbortSignal }): Promise<SuitableCodex>
  open(options?: { signal?: AbortSignal }): Promise<AppServer>
}

/** codex on this machine, over stdio. Every `open` starts an app-server of its own. */
export function localHost(options: LocalHostOptions = {}): LocalHost {
  const env = options.env ?? process.env
  const { platform, arch } = process
  const { codexHome, codexPath } = options
  const registryDir =
    options.registryDir === undefined
      ? path.join(dataDir({ env, platform }), 'app-servers')
      : options.registryDir
  const childEnv = childEnvironment(env, { codexHome, extra: options.extraEnv, passEnv: options.passEnv })
  const home = childEnv.CODEX_HOME ?? path.join(childEnv.HOME ?? homedir(), '.codex')

  const settings = {
    args: options.args ?? [],
    config: options.config ?? {},
    cwd: options.cwd,
    env: childEnv,
    maxLineBytes: options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
    registryDir,
  }

  async function inspect({ signal }: { signal?: AbortSignal } = {}): Promise<SuitableCodex> {
    const found = findCodex({ codexPath, env, platform, arch })
    return { ...found, version: await codexVersion(found.path, { env: childEnv, signal }) }
  }

  async function open({ signal }: { signal?: AbortSignal } = {}): Promise<AppServer> {
    signal?.throwIfAborted()
    if (codexHome !== undefined) makeHome(codexHome)
    const codex = await inspect({ signal })
    if (registryDir) await reapOnce(registryDir)
    const reportStart = await awaitFirstStart(`${home}\n${codex.path}`, { signal })
    try {
      signal?.throwIfAborted()
      const appServer = await startAppServer({ ...settings, codex, reportStart })
      if (signal?.aborted) await appServer.close()
      signal?.throwIfAborted()
      return appServer
    } catch (error) {
      reportStart(false)
      throw error
    }
  }

  return { name: 'local', registryDir, inspect, open }
}

function makeHome(codexHome: string): void {
  try {
    mkdirSync(codexHome, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const message = `cannot make the codex home ${codexHome} (${(cause as NodeJS.ErrnoException).code})`
    throw new DrawbridgeError(message, { code: 'codex-home-not-writable', cause })
  }
}
