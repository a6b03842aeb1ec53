// Permission profiles of one thread: what it may touch besides the profiles that its process was started with.
import { createHash } from 'node:crypto'
import { DrawbridgeError, ExperimentalMethodError } from '../errors/index.ts'
import type { ClientParams } from '../protocol/index.ts'
import { BadAccessError, domainsOf, hasOwnAccess, problemWithAccess, problemWithAllowed } from './access.ts'
import type { ThreadPolicy } from './policy.ts'
import type { Protection, RightsContext } from './rights.ts'

type Config = NonNullable<ClientParams<'thread/start'>['config']>

/** `open`: what a thread is opened under; it can write nowhere, or codex would trust the folder for good. */
type Suffix = 'open' | `${'ro' | 'rw'}${'' | '-net' | `-domains-${string}`}`

/** `config` of the request that opens a thread, for profiles of its own. Sent each time: codex forgets them. */
export function ownProfiles(policy: ThreadPolicy, context: RightsContext): Config {
  const { protection } = context
  if (hasOwnAccess(policy)) return accessProfiles(policy, needed(protection))
  return gitProfiles(policy, context)
}

/**
 * The name of a profile for turns; null: the process has what it needs. `opened`: what codex says the thread was opened
 * under, as far as it has profiles of its own.
 */
export function ownProfileOf(policy: ThreadPolicy, context: RightsContext): string | null {
  const { protection, isExperimental, opened } = context
  if (hasOwnAccess(policy)) return `${opened ?? accessName(policy, needed(protection))}-${suffixOf(policy)}`
  const isWritable = policy.sandbox === 'workspace-write'
  const hasGit = policy.gitFolders !== undefined && isWritable && policy.trustedRoot === undefined
  if (!hasGit || protection?.dialect !== 'modern' || !isExperimental) return null
  return `${protection.profile}-git-${policy.network === true ? 'rw-net' : 'rw'}`
}

/** What a thread with such choices is opened under. */
export function openingProfile(policy: ThreadPolicy, { protection }: RightsContext): string {
  return `${accessName(policy, needed(protection))}-open`
}

/** What the names of a thread's own profiles begin with, of one that codex says is in force; null: it is none. */
export function accessPartOf(id: string | undefined): string | null {
  return /^.*-access-[0-9a-f]{12}(?=-)/.exec(id ?? '')?.[0] ?? null
}

/** Whether a profile that codex says is in force is one that a thread has for itself: others cannot name it. */
export function isOwnProfile(id: string | undefined): boolean {
  return accessPartOf(id) !== null
}

/** Whether a profile that codex says is in force is one for exactly these choices, as far as a turn cannot change them. */
export function isForAccess(id: string, policy: ThreadPolicy): boolean {
  // What a folder was not trusted with is less than what it is trusted with.
  const { trustedRoot: _, ...untrusted } = policy
  return [policy, untrusted].some((each) => id.includes(`-access-${digestOf(each)}-`))
}

/** Whether commands are kept from logins, and an approved one from logins and the network. */
export function isHeld({ trustedRoot, confined }: Pick<ThreadPolicy, 'trustedRoot' | 'confined'>): boolean {
  return trustedRoot === undefined || confined === true
}

/** Before codex is asked: throws when this codex, or this client of it, cannot keep to such choices. */
export function refuseUnkeptAccess(
  policy: ThreadPolicy,
  context: RightsContext & { readonly version: string | null; readonly isElsewhere: boolean },
): void {
  const problem = problemWithAccess(policy)
  if (problem !== null) throw new BadAccessError(problem)
  if (!hasOwnAccess(policy)) return
  const { protection, isExperimental, version, isElsewhere } = context
  const what = namesOf(policy).join(' and ')
  if (protection?.dialect !== 'modern') throw new UnkeptAccessError(what, version)
  if (!isExperimental) throw new ExperimentalMethodError(what)
  if (isElsewhere && domainsOf(policy.network) !== null)
    throw new BadAccessError(
      'the network cannot be limited to domains for commands on another host: turn it off or on',
    )
  if (policy.confined && protection.codexFolders === undefined)
    throw new BadAccessError(
      'commands cannot be confined on another host, nor by an app-server that an earlier Drawbridge started: run the ' +
        'task on this machine, or try again when the tasks of that app-server have ended',
    )
}

class UnkeptAccessError extends DrawbridgeError {
  constructor(what: string, version: string | null) {
    const codex = version === null ? 'this codex' : `codex ${version}`
    super(
      `${codex} cannot keep a thread to what it may touch (${what}): use codex 0.161 or newer, not on Windows, or leave that out`,
      { code: 'unsupported' },
    )
  }
}

function namesOf({ allow = [], confined, network }: ThreadPolicy): string[] {
  return [
    ...(confined ? ['confined'] : []),
    ...(allow.length > 0 ? ['allow'] : []),
    ...(domainsOf(network) === null ? [] : ['network domains']),
  ]
}

/** What is wrong with the choices in this folder; null: nothing. */
export function problemInFolder(
  policy: ThreadPolicy,
  cwd: string,
  protection: Protection | null,
): string | null {
  return protection === null || !hasOwnAccess(policy) ? null : problemWithAllowed(policy, cwd, protection)
}

function needed(protection: Protection | null): Protection {
  if (protection === null)
    throw new BadAccessError('this codex has no profiles to keep to what was asked for')
  return protection
}

function suffixOf({ sandbox, network }: ThreadPolicy): Suffix {
  const mode = sandbox === 'workspace-write' ? 'rw' : 'ro'
  if (network === true) return `${mode}-net`
  const domains = domainsOf(network)
  return domains === null ? mode : `${mode}-domains-${digest([...domains].sort())}`
}

function accessName(policy: ThreadPolicy, { profile }: Protection): string {
  return `${profile}-access-${digestOf(policy)}`
}

/** Other choices, another name. Without what a turn may change. */
function digestOf({ allow = [], confined, trustedRoot, gitFolders }: ThreadPolicy): string {
  const paths = allow.map(({ path, access }) => `${access}:${path}`).sort()
  const git = gitFolders && [gitFolders.write, gitFolders.keep]
  return digest([paths, confined === true, isHeld({ trustedRoot, confined } as ThreadPolicy), git ?? null])
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12)
}

const MODES = ['read-only', 'workspace-write'] as const

function accessProfiles(policy: ThreadPolicy, protection: Protection): Config {
  const domains = domainsOf(policy.network)
  const name = accessName(policy, protection)
  const networks = [false, true, ...(domains === null ? [] : [{ domains }])]
  const turns = MODES.flatMap((sandbox) => networks.map((network) => suffixOf({ sandbox, network })))
  const suffixes: readonly Suffix[] = ['open', ...turns]
  const defined = suffixes.map((suffix) => [
    `permissions.${name}-${suffix}`,
    accessProfile(policy, suffix, protection),
  ])
  return {
    ...Object.fromEntries(defined),
    // Without it codex takes a list of domains for all of the network.
    ...(domains !== null && { 'features.network_proxy': true }),
    // There is no other folder for temporary files in a confined sandbox: each command has its own there.
    ...(policy.confined && { 'shell_environment_policy.set.TMPDIR': '/dev/shm' }),
  }
}

function accessProfile(policy: ThreadPolicy, suffix: Suffix, protection: Protection) {
  const isOpening = suffix === 'open'
  const isWritable = suffix.startsWith('rw')
  const { allow = [], gitFolders } = policy
  const denied = isHeld(policy) ? protection.paths.map((place) => [place, 'deny']) : []
  const given = allow.map(({ path, access }) => [path, access === 'rw' && !isOpening ? 'write' : 'read'])
  const filesystem = Object.fromEntries([
    ...(policy.confined ? confinedTo(protection, isWritable) : []),
    ...given,
    ...(isWritable && gitFolders ? gitEntries(gitFolders) : []),
    ...denied,
  ])
  const base = isWritable ? ':workspace' : ':read-only'
  return { ...(!policy.confined && { extends: base }), filesystem, network: networkOf(policy, suffix) }
}

/** The system, codex itself, and the workspace: nothing else can be seen. */
function confinedTo({ codexFolders = [] }: Protection, isWritable: boolean) {
  const workspace = { '.': isWritable ? 'write' : 'read' }
  const codex = codexFolders.map((folder) => [folder, 'read'])
  return [[':minimal', 'read'], ...codex, [':workspace_roots', workspace]]
}

function networkOf({ network }: ThreadPolicy, suffix: Suffix) {
  if (suffix.endsWith('-net')) return { enabled: true }
  const domains = suffix.includes('-domains-') ? domainsOf(network) : null
  if (domains === null) return { enabled: false }
  return { enabled: true, domains: Object.fromEntries(domains.map((domain) => [domain, 'allow'])) }
}

function gitEntries({ write, keep }: NonNullable<ThreadPolicy['gitFolders']>) {
  return [...write.map((place) => [place, 'write']), ...keep.map((place) => [place, 'read'])]
}

/** As those of the process, with more to write. Not known where profiles cannot be named. */
function gitProfiles({ gitFolders }: ThreadPolicy, { protection, isExperimental }: RightsContext): Config {
  if (!gitFolders || protection?.dialect !== 'modern' || !isExperimental) return {}
  const filesystem = Object.fromEntries(gitEntries(gitFolders))
  const profileFor = (suffix: 'rw' | 'rw-net') => [
    `permissions.${protection.profile}-git-${suffix}`,
    { extends: `${protection.profile}-${suffix}`, filesystem, network: { enabled: suffix === 'rw-net' } },
  ]
  return Object.fromEntries([profileFor('rw'), profileFor('rw-net')])
}
