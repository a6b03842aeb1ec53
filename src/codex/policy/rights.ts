// What a thread may touch, and when codex is told: with the request that opens it, or with every turn.
//
// A writable thread/start makes codex trust the folder for good: it writes to the user's config.toml and starts what the
// repository names, outside any sandbox. So in a folder that nobody trusts a thread is opened read-only, and each turn
// brings the rights it needs. Under a profile of ours its commands cannot read logins either.
import { DrawbridgeError } from '../errors/index.ts'
import { type ClientParams, isAtLeast, type protocol } from '../protocol/index.ts'
import { BadAccessError, domainsOf, hasOwnAccess, problemWithAccess } from './access.ts'
import { isHeld, openingProfile, ownProfileOf, ownProfiles, problemInFolder } from './own-profiles.ts'
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
  /** Where codex itself is: a confined command could not start without. Absent: not known. */
  readonly codexFolders?: readonly string[]
}

/** What an approved command can reach. */
export interface Escalation {
  readonly network: boolean
  /** Logins, and the other files that are protected inside the sandbox. */
  readonly protectedFiles: boolean
  /** Inside, it sees only what was named; outside, all that is not protected. */
  readonly isConfined?: true
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
  /** What the names of the profiles begin with that the thread was opened with for itself; absent: as its policy says. */
  readonly opened?: string | null
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
  // Nested: codex passes over a dotted key whose path has a dot. Said here, it is not written down.
  const trusted = trustedRoot !== undefined && { projects: { [trustedRoot]: { trust_level: 'trusted' } } }
  if (hasOwnAccess(policy)) {
    const own = { ...ownProfiles(policy, context), default_permissions: openingProfile(policy, context) }
    return { config: { ...trusted, ...own } }
  }
  if (trusted)
    return {
      ...(sandbox !== undefined && { sandbox }),
      ...(permissions !== undefined && { permissions }),
      config: trusted,
    }
  if (sandbox !== undefined) sandboxPolicy(sandbox)
  const untrusted = { projects: { [distrusted ?? '']: { trust_level: 'untrusted' } } }
  // Not told to newer ones: they would not read AGENTS.md either.
  const isMisled = distrusted !== undefined && (version === null || !isAtLeast(version, '0.150.0'))
  const config = isMisled ? untrusted : {}
  if (protection === null) return { sandbox: 'read-only', ...(isMisled && { config }) }
  // Any `sandbox` parameter would drop the profile.
  const own = ownProfiles(policy, context)
  return { config: { ...config, ...own, default_permissions: `${protection.profile}-ro` } }
}

export interface TurnRights {
  readonly params: Pick<ClientParams<'turn/start'>, 'sandboxPolicy' | 'permissions'>
  /** What is then in force; null when a profile of the user's says. */
  readonly sandbox: SandboxPolicy | null
}

/** Parameters of every `turn/start`; null when the thread was opened with all it needs. */
export function turnRights(policy: ThreadPolicy, context: RightsContext): TurnRights | null {
  const { protection, isExperimental } = context
  const hasOwn = hasOwnAccess(policy)
  if (policy.trustedRoot !== undefined && policy.network === undefined && !hasOwn) return null
  if (policy.permissions !== undefined) return { params: { permissions: policy.permissions }, sandbox: null }
  const mode = policy.sandbox ?? 'read-only'
  const hasNetwork = hasSomeNetwork(policy) && canHaveNetwork(policy, context)
  const sandbox = sandboxPolicy(mode, hasNetwork, policy)
  const own = ownProfileOf(policy, context)
  if (own !== null) return { params: { permissions: own }, sandbox }
  const isNamed = policy.trustedRoot === undefined && protection?.dialect === 'modern' && isExperimental
  if (!isNamed || mode === 'danger-full-access') return { params: { sandboxPolicy: sandbox }, sandbox }
  const suffix = `${mode === 'workspace-write' ? 'rw' : 'ro'}${hasNetwork ? '-net' : ''}`
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
  refuseOtherRights(policy, named)
  const problem = problemWithFolder(asMode(policy, named.sandboxPolicy), folder, context.protection)
  if (problem !== null) throw new UnsafeFolderError(problem)
  const asGiven = { params: {}, sandbox: named.sandboxPolicy ?? null }
  if (named.sandboxPolicy || named.permissions) return asGiven
  const rights = turnRights(policy, context)
  if (rights || named.sandbox === undefined) return rights ?? asGiven
  const sandbox = sandboxPolicy(named.sandbox)
  return { params: { sandboxPolicy: sandbox }, sandbox }
}

/** They would take the place of the profile that keeps the thread to what was chosen. */
function refuseOtherRights(policy: ThreadPolicy, named: Omit<NamedRights, 'folder'>): void {
  if (!hasOwnAccess(policy)) return
  const problem = problemWithAccess(policy)
  if (problem !== null) throw new BadAccessError(problem)
  if (named.sandboxPolicy == null && named.permissions == null) return
  throw new BadAccessError(
    'a turn of a thread with confined, allow or network domains is given `sandbox`, not `sandboxPolicy` or `permissions`',
  )
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
  const wantsNetwork =
    hasSomeNetwork({ network }) || (given && 'networkAccess' in given && given.networkAccess === true)
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

function hasSomeNetwork({ network }: Pick<ThreadPolicy, 'network'>): boolean {
  return network === true || domainsOf(network) !== null
}

/** Without a profile a command with network could read Drawbridge's own token, and answer its own questions. */
function canHaveNetwork(policy: ThreadPolicy, { protection }: RightsContext): boolean {
  return policy.trustedRoot !== undefined || protection !== null
}

/** What an approved command can reach on a thread with this policy. */
export function escalationOf(policy: ThreadPolicy, { protection }: RightsContext): Escalation {
  const isFree =
    !isHeld(policy) ||
    protection?.dialect !== 'modern' ||
    policy.sandbox === 'danger-full-access' ||
    policy.permissions !== undefined
  const confined = policy.confined === true && { isConfined: true as const }
  return { network: isFree || policy.network === true, protectedFiles: isFree, ...confined }
}

function sandboxPolicy(
  mode: SandboxMode,
  networkAccess = false,
  { allow = [], confined = false }: Pick<ThreadPolicy, 'allow' | 'confined'> = {},
): SandboxPolicy {
  if (mode === 'danger-full-access') return { type: 'dangerFullAccess' }
  if (mode === 'read-only') return { type: 'readOnly', networkAccess }
  if (mode !== 'workspace-write')
    throw new DrawbridgeError(`there is no sandbox ${JSON.stringify(mode)}`, { code: 'bad-config' })
  const temp = { excludeTmpdirEnvVar: confined, excludeSlashTmp: confined }
  const writableRoots = allow.filter(({ access }) => access === 'rw').map(({ path }) => path)
  return { type: 'workspaceWrite', writableRoots, networkAccess, ...temp }
}

/** A folder whose commands could get around what protects logins; null when this one is fine. */
export function problemWithFolder(
  policy: ThreadPolicy,
  cwd: string,
  protection: Protection | null,
): string | null {
  const problem = problemInFolder(policy, cwd, protection)
  if (problem !== null) return problem
  if (protection === null || policy.trustedRoot !== undefined) return null
  const around = protection.paths.find((place) => cwd === place || cwd.startsWith(`${place}/`))
  if (around !== undefined) return `${cwd} is in ${around}, which commands cannot read: choose another folder`
  if (policy.sandbox !== 'workspace-write') return null
  // Whoever may rename a folder may rename what is denied below it out of reach of the deny.
  const writable = [cwd, ...protection.tempFolders]
  const held = protection.paths.find((place) => writable.some((folder) => isDeepIn(place, folder)))
  if (held === undefined) return null
  if (!isDeepIn(held, cwd))
    return `commands that may write to the temp folder could get at ${held}: move it elsewhere, use the read-only sandbox, or, on the machine of the service, trust the folder with \`drawbridge trust\``
  return `${cwd} holds ${held}, which commands that may write there could get at: choose a sub-folder, use the read-only sandbox, or, on the machine of the service, trust the folder with \`drawbridge trust\``
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
