// Which codex is started on this machine, with which settings, and what has to be so before it is.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { DEFAULT_MAX_LINE_BYTES, DrawbridgeError, type Protection } from '../../codex/index.ts'
import { makeFolder } from '../../util/make-folder.ts'
import { dataDir } from '../data-dir.ts'
import { codexVersion } from './codex-version.ts'
import { childEnvironment } from './environment.ts'
import { type FoundCodex, findCodex } from './find-codex.ts'
import { awaitFirstStart, type ReportStart } from './first-start.ts'
import { protectionFor, whyUnprotected } from './protection.ts'
import { reapOnce } from './reap-once.ts'

export interface LocalHostOptions {
  /** Path of the codex binary; by default DRAWBRIDGE_CODEX, then PATH, then the npm package next to us. */
  readonly codexPath?: string
  /** Made if missing. By default CODEX_HOME of `env`, else codex's own default, made too. */
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
  /** Absolute paths that commands in untrusted folders cannot read, besides codex's logins and our data folder. */
  readonly protect?: readonly string[]
  /** Where our app-servers are recorded, so that they can be ended should we be killed; null to do without. */
  readonly registryDir?: string | null
  readonly maxLineBytes?: number
}

export interface SuitableCodex extends FoundCodex {
  readonly version: string
}

export interface LocalSettings {
  readonly args: readonly string[]
  readonly config: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly maxLineBytes: number
  readonly registryDir: string | null
}

export interface LocalCodex {
  readonly settings: LocalSettings
  /** Rejects with a CodexUnsuitableError when there is none. */
  inspect(options: { signal?: AbortSignal }): Promise<SuitableCodex>
  /** Resolves when codex may be started; how that went must be reported. */
  prepare(options: { signal?: AbortSignal }): Promise<{ codex: SuitableCodex; reportStart: ReportStart }>
  /** What keeps commands in untrusted folders from logins; null where this codex, or this system, cannot. */
  protection(codex: SuitableCodex, options: { socketFolder: string | null }): Protection | null
  /** Why a process that was started with this no longer protects what is there; null when it does. */
  whyUnprotected(protection: Protection, options: { socketFolder: string | null }): string | null
}

export function localCodex(options: LocalHostOptions): LocalCodex {
  const env = options.env ?? process.env
  const { platform, arch } = process
  const { codexHome, codexPath } = options
  const data = dataDir({ env, platform })
  const registryDir = options.registryDir === undefined ? path.join(data, 'app-servers') : options.registryDir
  const childEnv = childEnvironment(env, { codexHome, extra: options.extraEnv, passEnv: options.passEnv })
  // An empty one is none to codex either.
  if (!childEnv.CODEX_HOME) delete childEnv.CODEX_HOME
  const named = childEnv.CODEX_HOME ?? path.join(childEnv.HOME || homedir(), '.codex')
  const home = path.resolve(options.cwd ?? '.', named)

  const settings = {
    args: options.args ?? [],
    config: options.config ?? {},
    cwd: options.cwd,
    env: childEnv,
    maxLineBytes: options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
    registryDir,
  }

  async function inspect({ signal }: { signal?: AbortSignal }): Promise<SuitableCodex> {
    const found = findCodex({ codexPath, env, platform, arch })
    return { ...found, version: await codexVersion(found.path, { env: childEnv, signal }) }
  }

  async function prepare({ signal }: { signal?: AbortSignal }) {
    signal?.throwIfAborted()
    // A missing CODEX_HOME of the environment is a mistake, and codex says so. Its default it makes by itself, but not
    // when it listens on a socket.
    if (codexHome !== undefined) makeHome(codexHome)
    else if (childEnv.CODEX_HOME === undefined && existsSync(path.dirname(home))) makeHome(home)
    const codex = await inspect({ signal })
    if (registryDir) await reapOnce(registryDir)
    const firstStart = { lockDir: registryDir, signal }
    return { codex, reportStart: await awaitFirstStart(`${home}\n${codex.path}`, firstStart) }
  }

  function places(socketFolder: string | null) {
    const more = [...(options.protect ?? []), ...(registryDir ? [registryDir] : [])]
    return { codexHome: home, dataDir: data, more, socketFolder }
  }

  return {
    settings,
    inspect,
    prepare,
    protection: ({ version, path: codexPath }, { socketFolder }) =>
      protectionFor(version, { ...places(socketFolder), platform, codexPath }),
    whyUnprotected: (protection, { socketFolder }) => whyUnprotected(protection, places(socketFolder)),
  }
}

function makeHome(codexHome: string): void {
  try {
    makeFolder(codexHome)
  } catch (cause) {
    const message = `cannot make the codex home ${codexHome} (${(cause as NodeJS.ErrnoException).code})`
    throw new DrawbridgeError(message, { code: 'codex-home-not-writable', cause })
  }
}
