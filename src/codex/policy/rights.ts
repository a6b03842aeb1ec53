// What a thread may touch, and when codex is told: with the request that opens it, or with every turn.
//
// A writable thread/start makes codex trust the folder for good: it writes to the user's config.toml and starts what the
// repository names, outside any sandbox. So in a folder that nobody trusts a thread is opened read-only, and each turn
// brings the rights it needs. Under a profile of ours its commands cannot read logins either.
import { DrawbridgeError } from '../errors/index.ts'
import { type ClientParams, isAtLeast, type protocol } from '../protocol/index.ts'
import type { ThreadPolicy } from './policy.ts'

type SandboxMode = protocol.v2.SandboxMode
type SandboxPolicy = protocol.v2.SandboxPolicy

/** The profiles of an app-server: read-only or writable, each without and with network. */
export const PROFILE_SUFFIXES = ['ro', 'rw', 'ro-net', 'rw-net'] as const

/** The permission profiles an app-server was started with: commands under them cannot read `paths`. */
export interface Protection {
  /** What the names of its profiles begin with. Other paths, another name. */
  readonly profile: string
  readonly paths: readonly string[]
  /** Where every writable thread may write besides its folder. */
  readonly tempFolders: readonly string[]
  /**
   * `modern` (0.161 on): an approved command still has no network and no protected files. `legacy` (to 0.130): it is
   * under no profile at all.
   */
  readonly dialect: 'modern' | 'legacy'
}

/** What an approved command can reach. */
export interface Escalation {
  readonly network: boolean
  /** Logins, and the other files that are protected inside the sandbox. */
  readonly protectedFiles: boolean
}

/** What commits need of a repository whose `.git` is not in the workspace. Absolute paths that are there. */
export interface GitFolders {
  readonly write: readonly string[]
  /** In those, what stays as it is. */
  readonly keep: readonly string[]
}

export interface RightsContext {
  readonly protection: Protection | null
  readonly isExperimental: boolean
}

/** The rights a turn is asked for, and the folder it works in. */
export type NamedRights = TurnRights['params'] & {
  readonly sandbox?: SandboxMode | undefined
  /** Where it really is, as far as that can be told. */
  readonly folder: string
}

type Opening = Pick<ClientParams<'thread/start'>, 'sandbox' | 'permissions' | 'config'>

/** Parameters of `thread/start`, `thread/resume` and `thread/fork`. Throws for a sandbox that does not exist. */
export function openingRights(
  policy: ThreadPolicy,
  context: RightsContext & { readonly version: string | null },
): Opening {
  const { sandbox, permissions, trustedRoot, distrusted } = policy
  const { protection, version } = context
  if (trustedRoot !== undefined)
    return {
      ...(sandbox !== undefined && { sandbox }),
      ...(permissions !== undefined && { permissions }),
      // Nested: codex passes over a dotted key whose path has a dot. Said here, it is not written down.
      config: { projects: { [trustedRoot]: { trust_level: 'trusted' } } },
    }
  if (sandbox !== undefined) sandboxPolicy(sandbox)
  const untrusted = { projects: { [distrusted ?? '']: { trust_level: 'untrusted' } } }
  // Not told to newer ones: they would not read AGENTS.md either.
  const isMisled = distrusted !== undefined && (version === null || !isAtLeast(version, '0.150.0'))
  const config = isMisled ? untrusted : {}
  if (protection === null) return { sandbox: 'read-only', ...(isMisled && { config }) }
  // Any `sandbox` parameter would drop the profile.
  const own = gitProfiles(policy, context)
  return { config: { ...config, ...own, default_permissions: `${protection.profile}-ro` } }
}

/** Profiles of this thread alone: as those of the process, with more to write. Not known where profiles cannot be named. */
function gitProfiles(
  { gitFolders }: ThreadPolicy,
  { protection, isExperimental }: RightsContext,
): NonNullable<Opening['config']> {
  if (!gitFolders || protection?.dialect !== 'modern' || !isExperimental) return {}
  const { write, keep } = gitFolders
  const written = write.map((place) => [place, 'write'])
  const kept = keep.map((place) => [place, 'read'])
  const filesystem = Object.fromEntries([...written, ...kept])
  const profileFor = (suffix: 'rw' | 'rw-net') => [
    `permissions.${protection.profile}-git-${suffix}`,
    { extends: `${protection.profile}-${suffix}`, filesystem, network: { enabled: suffix === 'rw-net' } },
  ]
  return Object.fromEntries([profileFor('rw'), profileFor('rw-net')])
}

export interface TurnRights {
  readonly params: Pick<ClientParams<'turn/start'>, 'sandboxPolicy' | 'permissions'>
  /** What is then in force; null when a profile of the user's says. */
  readonly sandbox: SandboxPolicy | null
}

/** Parameters of every `turn/start`; null when the thread was opened with all it needs. */
export function turnRights(policy: ThreadPolicy, context: RightsContext): TurnRights | null {
  const { protection, isExperimental } = context
  if (policy.trustedRoot !== undefined && policy.network === undefined) return null
  if (policy.permissions !== undefined) return { params: { permissions: policy.permissions }, sandbox: null }
  const mode = policy.sandbox ?? 'read-only'
  const hasNetwork = policy.network === true && canHaveNetwork(policy, context)
  const sandbox = sandboxPolicy(mode, hasNetwork)
  const isNamed = policy.trustedRoot === undefined && protection?.dialect === 'modern' && isExperimental
  if (!isNamed || mode === 'danger-full-access') return { params: { sandboxPolicy: sandbox }, sandbox }
  const width = mode === 'workspace-write' ? `${policy.gitFolders ? 'git-' : ''}rw` : 'ro'
  const suffix = `${width}${hasNetwork ? '-net' : ''}`
  return { params: { permissions: `${protection.profile}-${suffix}` }, sandbox }
}

/**
 * Those of a turn whose caller may name some: none when the thread has them since it was opened. Throws for what an
 * untrusted folder is not given.
 */
export function rightsOfTurn(
  policy: ThreadPolicy,
  { folder, ...named }: NamedRights,
  context: RightsContext,
): TurnRights {
  refuseWithoutTrust({ ...policy, ...withoutNulls(named) }, context)
  const problem = problemWithFolder(asMode(policy, named.sandboxPolicy), folder, context.protection)
  if (problem !== null) throw new UnsafeFolderError(problem)
  const asGiven = { params: {}, sandbox: named.sandboxPolicy ?? null }
  if (named.sandboxPolicy || named.permissions) return asGiven
  const rights = turnRights(policy, context)
  if (rights || named.sandbox === undefined) return rights ?? asGiven
  const sandbox = sandboxPolicy(named.sandbox)
  return { params: { sandboxPolicy: sandbox }, sandbox }
}

type AskedRights = Pick<ThreadPolicy, 'trustedRoot' | 'sandbox' | 'network'> & TurnRights['params']

/** Full access, or a profile that is not ours, would drop what protects logins; so would network where nothing does. */
export function refuseWithoutTrust(
  { trustedRoot, sandbox, permissions, sandboxPolicy: given, network }: AskedRights,
  context: RightsContext,
): void {
  if (trustedRoot !== undefined) return
  if (sandbox === 'danger-full-access' || given?.type === 'dangerFullAccess')
    throw new UntrustedFolderError('danger-full-access')
  if (permissions != null && permissions !== ':read-only')
    throw new UntrustedFolderError(`the permission profile ${permissions}`)
  const wantsNetwork = network === true || (given && 'networkAccess' in given && given.networkAccess === true)
  if (wantsNetwork && !canHaveNetwork({}, context)) throw new UntrustedFolderError('network, on this codex,')
}

/** It needs a folder that a person trusts. */
export class UntrustedFolderError extends DrawbridgeError {
  constructor(what: string) {
    super(`${what} needs a trusted folder: look at it with \`drawbridge trust\` first`, {
      code: 'folder-untrusted',
    })
  }
}

function asMode(policy: ThreadPolicy, given: SandboxPolicy | null | undefined): ThreadPolicy {
  return given?.type === 'workspaceWrite' ? { ...policy, sandbox: 'workspace-write' } : policy
}

function withoutNulls<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner != null)) as T
}

/** Without a profile a command with network could read Drawbridge's own token, and answer its own questions. */
function canHaveNetwork(policy: ThreadPolicy, { protection }: RightsContext): boolean {
  return policy.trustedRoot !== undefined || protection !== null
}

/** What an approved command can reach on a thread with this policy. */
export function escalationOf(policy: ThreadPolicy, { protection }: RightsContext): Escalation {
  const isHeld = policy.trustedRoot === undefined && protection?.dialect === 'modern'
  const isFree = !isHeld || policy.sandbox === 'danger-full-access' || policy.permissions !== undefined
  return { network: isFree || policy.network === true, protectedFiles: isFree }
}

function sandboxPolicy(mode: SandboxMode, networkAccess = false): SandboxPolicy {
  if (mode === 'danger-full-access') return { type: 'dangerFullAccess' }
  if (mode === 'read-only') return { type: 'readOnly', networkAccess }
  if (mode !== 'workspace-write')
    throw new DrawbridgeError(`there is no sandbox ${JSON.stringify(mode)}`, { code: 'bad-config' })
  const temp = { excludeTmpdirEnvVar: false, excludeSlashTmp: false }
  return { type: 'workspaceWrite', writableRoots: [], networkAccess, ...temp }
}

/** codex opened a thread with more rights than it was asked for. */
export class WeakerSandboxError extends DrawbridgeError {
  constructor(threadId: string, found: string) {
    super(
      `thread ${threadId} is not used: ${found}. Look for \`permissions\`, \`default_permissions\` and requirements in codex's configuration, or trust the folder with \`drawbridge trust\``,
      { code: 'weaker-sandbox' },
    )
  }
}

interface ThreadReply {
  readonly sandbox?: SandboxPolicy | null
  readonly activePermissionProfile?: { readonly id?: string } | null
  /** To 0.130: the profile itself. */
  readonly permissionProfile?: { readonly fileSystem?: { readonly entries?: readonly Entry[] } } | null
}

interface Entry {
  readonly access?: string
  readonly path?: { readonly path?: string }
}

/** What of the reply is weaker than what was asked for, in words; null when nothing is. */
export function weakness(
  policy: ThreadPolicy,
  reply: ThreadReply,
  { protection, isExperimental, isFresh }: RightsContext & { readonly isFresh: boolean },
): string | null {
  if (policy.trustedRoot !== undefined) return null
  // What an earlier turn was given stays with a thread that codex still has loaded.
  const isFreed = !isFresh && policy.sandbox === 'danger-full-access'
  if (isFreed) return null
  const type = reply.sandbox?.type
  const isTooWide = type === 'dangerFullAccess' || (isFresh && type === 'workspaceWrite')
  if (isTooWide) return `codex opened it with ${type} instead of readOnly`
  if (protection === null) return null
  return protection.dialect === 'legacy'
    ? readablePath(reply, protection)
    : missingProfile(reply, protection, { policy, isExperimental, isFresh })
}

/** To 0.130 the reply shows what the profile denies. */
function readablePath({ permissionProfile }: ThreadReply, { paths }: Protection): string | null {
  const entries = permissionProfile?.fileSystem?.entries ?? []
  const denied = new Set(entries.filter(({ access }) => access === 'none').map(({ path }) => path?.path))
  const readable = paths.find((place) => !denied.has(place))
  return readable === undefined ? null : `its commands could read ${readable}`
}

function missingProfile(
  { activePermissionProfile }: ThreadReply,
  { profile }: Protection,
  { policy, isExperimental, isFresh }: { policy: ThreadPolicy; isExperimental: boolean; isFresh: boolean },
): string | null {
  const id = activePermissionProfile?.id
  const isOurs = id?.startsWith(`${profile}-`)
  const isChosen = id !== undefined && id === policy.permissions
  // A turn that was given a sandbox, not a profile, keeps the denies, but the reply no longer names them.
  const isUnnamed = id === undefined && !isFresh && !isExperimental
  if (isOurs || isChosen || isUnnamed) return null
  return `codex opened it under ${id === undefined ? 'no permission profile' : `the profile ${id}`} instead of ${profile}-ro`
}

/** A folder whose commands could get around what protects logins; null when this one is fine. */
export function problemWithFolder(
  policy: ThreadPolicy,
  cwd: string,
  protection: Protection | null,
): string | null {
  if (protection === null || policy.trustedRoot !== undefined) return null
  const around = protection.paths.find((place) => cwd === place || cwd.startsWith(`${place}/`))
  if (around !== undefined) return `${cwd} is in ${around}, which commands cannot read: choose another folder`
  if (policy.sandbox !== 'workspace-write') return null
  // Whoever may rename a folder may rename what is denied below it out of reach of the deny.
  const writable = [cwd, ...protection.tempFolders]
  const held = protection.paths.find((place) => writable.some((folder) => isDeepIn(place, folder)))
  if (held === undefined) return null
  if (!isDeepIn(held, cwd))
    return `commands that may write to the temp folder could get at ${held}: move it elsewhere, use the read-only sandbox, or trust the folder with \`drawbridge trust\``
  return `${cwd} holds ${held}, which commands that may write there could get at: choose a sub-folder, use the read-only sandbox, or trust the folder with \`drawbridge trust\``
}

function isDeepIn(place: string, folder: string): boolean {
  const base = folder.endsWith('/') ? folder : `${folder}/`
  return place.startsWith(base) && place.slice(base.length).includes('/')
}

/** The folder is no place for a thread with this policy. */
export class UnsafeFolderError extends DrawbridgeError {
  constructor(problem: string) {
    super(problem, { code: 'unsafe-folder' })
  }
}
