// What codex says of a thread's rights when another client has changed them, next to what its task allows. Pure.
import { hasOwnAccess, isOwnProfile, type ThreadPolicy, type TurnOptions } from '../../codex/index.ts'

/** Of codex's `thread/settings/updated`, or of the reply that opened the thread. Only what is acted on. */
export interface HeardSettings {
  readonly model?: unknown
  readonly effort?: unknown
  readonly approvalPolicy?: unknown
  readonly approvalsReviewer?: unknown
  readonly sandbox?: { readonly type?: string; readonly networkAccess?: boolean } | null
  readonly cwd?: unknown
  readonly activePermissionProfile?: { readonly id?: string } | null
}

export interface WidenedField {
  readonly field: string
  readonly asked: unknown
  readonly got: unknown
}

const WIDTH: Readonly<Record<string, number>> = { readOnly: 0, workspaceWrite: 1, dangerFullAccess: 2 }
const TYPES = {
  'read-only': 'readOnly',
  'workspace-write': 'workspaceWrite',
  'danger-full-access': 'dangerFullAccess',
} as const

/** Codex writes `sandboxPolicy` in its notification, and `sandbox` in its reply. */
export function heardSettings(settings: unknown): HeardSettings {
  const { sandboxPolicy, ...rest } = Object(settings) as HeardSettings & { sandboxPolicy?: never }
  return { ...rest, sandbox: sandboxPolicy ?? rest.sandbox ?? null }
}

/** What is in force now, for people: what was known before, with what codex has said since. */
export function policyHeard(known: string | null, heard: HeardSettings): Readonly<Record<string, unknown>> {
  const { model, effort, approvalPolicy, approvalsReviewer, sandbox, cwd } = heard
  const said = { model, effort, approvalPolicy, approvalsReviewer, sandbox, cwd }
  const before = known === null ? {} : (JSON.parse(known) as object)
  return { ...before, ...Object.fromEntries(Object.entries(said).filter(([, value]) => value != null)) }
}

/** Where a thread may do more, or asks less, than its task allows. */
export function widened(policy: ThreadPolicy, heard: HeardSettings): WidenedField[] {
  const asked = typeOf(policy)
  const got = heard.sandbox?.type
  const wider: WidenedField[] = []
  const profile = heard.activePermissionProfile
  // Such a profile has more in it than a sandbox can say, and no other client can name it for something else.
  const isOwn = hasOwnAccess(policy) && isOwnProfile(profile?.id)
  if (!isOwn && policy.permissions === undefined && got !== undefined && (WIDTH[got] ?? 2) > WIDTH[asked]!)
    wider.push({ field: 'sandbox', asked, got })
  const hasNetwork = policy.network !== undefined && policy.network !== false
  if (!isOwn && heard.sandbox?.networkAccess === true && !hasNetwork)
    wider.push({ field: 'network', asked: false, got: true })
  if (hasOwnAccess(policy) && profile !== undefined && !isOwn)
    wider.push({ field: 'permissions', asked: 'what it may touch', got: profile?.id ?? 'none' })
  const asks = policy.approvalPolicy ?? 'on-request'
  if (heard.approvalPolicy === 'never' && asks !== 'never')
    wider.push({ field: 'approvalPolicy', asked: asks, got: 'never' })
  const reviewer = policy.approvalsReviewer ?? 'user'
  if (typeof heard.approvalsReviewer === 'string' && heard.approvalsReviewer !== reviewer)
    wider.push({ field: 'approvalsReviewer', asked: reviewer, got: heard.approvalsReviewer })
  return wider
}

export function widenedText(fields: readonly WidenedField[]): string {
  const parts = fields.map(({ field, asked, got }) => `${field} ${text(got)}, not ${text(asked)}`)
  return `another client gave the thread other rights than the task has: ${parts.join('; ')}. The next turn from here has the task's own again`
}

/** What a turn from here sends after another client may have changed it: codex keeps such changes for later turns. */
export function ownRights(policy: ThreadPolicy, { cwd }: { cwd: string }): Partial<TurnOptions> {
  const { approvalPolicy, sandbox, permissions, network, approvalsReviewer = 'user' } = policy
  return {
    cwd,
    approvalsReviewer,
    ...(approvalPolicy !== undefined && approvalPolicy !== 'on-failure' && { approvalPolicy }),
    ...(permissions === undefined && { sandbox: sandbox ?? 'read-only' }),
    ...(permissions !== undefined && { permissions }),
    ...(network !== undefined && { network }),
  }
}

function typeOf({ sandbox = 'read-only' }: ThreadPolicy): string {
  return TYPES[sandbox] ?? 'readOnly'
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
