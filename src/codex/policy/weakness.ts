// Whether codex opened a thread with more rights than it was asked for.
import { DrawbridgeError } from '../errors/index.ts'
import type { protocol } from '../protocol/index.ts'
import { hasOwnAccess } from './access.ts'
import { isForAccess } from './own-profiles.ts'
import type { ThreadPolicy } from './policy.ts'
import type { Protection, RightsContext } from './rights.ts'

type SandboxPolicy = protocol.v2.SandboxPolicy

/** What a thread of another machine is loaded under. It begins as our profiles of other machines do. */
export const SHUT_PROFILE = 'drawbridge-there-shut'

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
  const hasOwn = hasOwnAccess(policy)
  if (policy.trustedRoot !== undefined && !hasOwn) return null
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
  const isWanted = !hasOwnAccess(policy) || isForAccess(id ?? '', policy) || id === SHUT_PROFILE
  const isOurs = id?.startsWith(`${profile}-`) && isWanted
  const isChosen = id !== undefined && id === policy.permissions
  // A turn that was given a sandbox, not a profile, keeps the denies, but the reply no longer names them.
  const isUnnamed = id === undefined && !isFresh && !isExperimental
  if (isOurs || isChosen || isUnnamed) return null
  const asked = hasOwnAccess(policy) ? 'one for what it may touch' : `${profile}-ro`
  return `codex opened it under ${id === undefined ? 'no permission profile' : `the profile ${id}`} instead of ${asked}`
}
