// Which codex runs on a host: the one that is named, one that is there and fits, or the one we bring.
import { CodexUnsuitableError } from '../local/codex-unsuitable-error.ts'
import { isOlder, MINIMUM_CODEX_VERSION } from '../local/codex-version.ts'
import { codexPackage, packageName } from './codex-package.ts'
import type { SshConnection } from './connection.ts'
import type { FoundOnHost, HostFacts } from './host-facts.ts'
import { type Progress, removeOld, upload } from './provision.ts'
import { SshHostError } from './ssh-host-error.ts'
import type { SshHostSpec } from './ssh-target.ts'

export interface HostCodex {
  /** On the host. */
  readonly path: string
  readonly version: string
  readonly source: 'named' | 'found' | 'brought'
}

export interface EnsureOptions {
  readonly spec: SshHostSpec
  readonly facts: HostFacts
  /** Exactly this one; null: any that Drawbridge can work with. */
  readonly version: string | null
  /** The oldest that will do, where any version does. */
  readonly least?: string
  readonly onProgress?: (progress: Progress) => void
  readonly signal?: AbortSignal
}

export async function ensureCodex(connection: SshConnection, options: EnsureOptions): Promise<HostCodex> {
  const { spec, facts } = options
  if (spec.codexPath) return namedCodex(spec.codexPath, options)
  const found = facts.codex.find((codex) => problemWith(codex, options) === null)
  if (found) return { path: found.path, version: found.version!, source: 'found' }
  return bring(connection, options)
}

function namedCodex(codexPath: string, options: EnsureOptions): HostCodex {
  const { spec, facts } = options
  const found = facts.codex[0]
  if (!found) {
    const message = `there is no codex at ${codexPath} on ${spec.name}`
    throw new CodexUnsuitableError(message, { code: 'codex-not-found', codexPath, hint: HINT })
  }
  const problem = problemWith(found, options)
  if (problem) {
    const message = `codex at ${found.path} on ${spec.name} ${problem.what}`
    throw new CodexUnsuitableError(message, { code: problem.code, codexPath: found.path, hint: HINT })
  }
  return { path: found.path, version: found.version!, source: 'named' }
}

const HINT =
  'install a suitable codex there, name the path of another, or name none: then Drawbridge brings its own'

async function bring(connection: SshConnection, options: EnsureOptions): Promise<HostCodex> {
  const { spec, facts, version } = options
  const given = await codexPackage({ platform: facts.platform as NodeJS.Platform, arch: facts.arch })
  if (!given) throw nothingFor(spec.name, options)
  if (version !== null && given.version !== version) {
    const message = `${spec.name} needs codex ${version}, and the one that Drawbridge could bring there is ${given.version}`
    const hint = `install codex ${version} on the host, or use the codex of Drawbridge's own package here as well`
    throw new SshHostError(message, { code: 'host-server-other-version', host: spec.name, hint })
  }
  const folder = `${facts.cache}/${given.id}`
  const isThere = facts.provisioned.includes(folder)
  const path = isThere
    ? `${folder}/bin/codex`
    : await upload(connection, given, { ...options, host: spec.name })
  await removeOld(connection, { kept: folder, signal: options.signal })
  return { path, version: given.version, source: 'brought' }
}

function nothingFor(host: string, options: EnsureOptions): SshHostError {
  const { facts } = options
  const { platform, arch } = facts
  const seen = facts.codex.map((codex) => `${codex.path} ${problemWith(codex, options)?.what}`).join('; ')
  const why = `there is no codex on ${host} that fits${seen ? ` (${seen})` : ''}, and none here for ${platform}-${arch}`
  const isKnown = ['linux', 'darwin'].includes(platform) && ['x64', 'arm64'].includes(arch)
  const hint = isKnown
    ? `install the package ${packageName(facts)} beside Drawbridge, or install codex on the host`
    : 'codex is made for Linux and macOS on x64 and arm64'
  return new SshHostError(why, { code: 'host-unsupported', host, hint })
}

function problemWith(
  { version, problem }: FoundOnHost,
  { version: wanted, least = MINIMUM_CODEX_VERSION }: Pick<EnsureOptions, 'version' | 'least'>,
): { code: 'codex-too-old' | 'codex-version-timed-out' | 'codex-version-failed'; what: string } | null {
  if (problem === 'timed-out') return { code: 'codex-version-timed-out', what: 'does not answer `--version`' }
  if (version === null) return { code: 'codex-version-failed', what: 'does not say its version' }
  const needs = wanted === null ? `${least} or newer is` : `exactly ${wanted} is`
  const fits = wanted === null ? !isOlder(version, least) : version === wanted
  return fits ? null : { code: 'codex-too-old', what: `is ${version}; ${needs} needed` }
}
