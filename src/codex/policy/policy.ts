// What a thread may do and how it works, as one value: sent on start, sent again on resume, and compared with what
// codex says is in force, because a resumed thread has come back with other rights before.

import { type ClientParams, isAtLeast, type protocol } from '../protocol/index.ts'
import type { AllowedPath, NetworkAccess } from './access.ts'
import { type GitFolders, openingRights, type RightsContext } from './rights.ts'

/** Keep it with the thread's id: `resumeThread(id, policy)` restores it. */
export interface ThreadPolicy {
  readonly approvalPolicy?: ApprovalPolicy
  /** What commands may touch. Not together with `permissions`. */
  readonly sandbox?: protocol.v2.SandboxMode
  /** A named permission profile in place of `sandbox`. */
  readonly permissions?: string
  /** Whether commands reach the network from inside the sandbox: all of it, none, or some domains. */
  readonly network?: NetworkAccess
  /** More that commands may read, or also write to. */
  readonly allow?: readonly AllowedPath[]
  /** Commands see only the workspace, what `allow` names, and the system's own programs. */
  readonly confined?: boolean
  /**
   * A person trusts the repository, or folder, with this root: codex starts what it names (MCP servers, hooks), and
   * approved commands can do everything. Without it the folder is untrusted.
   */
  readonly trustedRoot?: string
  /** A folder that codex before 0.150 would trust by mistake: its `.git` only claims to be a trusted repository's. */
  readonly distrusted?: string
  /** Folders of a git repository that a writable thread may also write to, without what is kept of them. */
  readonly gitFolders?: GitFolders
  /** More of codex's configuration for this thread alone: MCP servers, features. codex forgets it on a resume. */
  readonly config?: Config
  readonly approvalsReviewer?: protocol.v2.ApprovalsReviewer
  readonly model?: string
  readonly modelProvider?: string
  readonly effort?: string
  readonly serviceTier?: string
  readonly developerInstructions?: string
}

/** `untrusted` asks for everything. `on-failure` is only known to versions before 0.143. */
export type ApprovalPolicy = protocol.v2.AskForApproval | 'on-failure'

const FIELDS = [
  'approvalPolicy',
  'sandbox',
  'permissions',
  'network',
  'allow',
  'confined',
  'trustedRoot',
  'distrusted',
  'gitFolders',
  'config',
  'approvalsReviewer',
  'model',
  'modelProvider',
  'effort',
  'serviceTier',
  'developerInstructions',
] as const satisfies readonly (keyof ThreadPolicy)[]

/** Something of the policy is not as it was asked for. */
export interface PolicyIncident {
  /** `policy-differs`: codex answered with another value. `policy-mapped`: this codex knows it by another name. */
  readonly type: 'policy-differs' | 'policy-mapped'
  readonly threadId: string | null
  readonly field: keyof ThreadPolicy
  readonly asked: unknown
  readonly got: unknown
}

/** The policy among other options. Rights in the thread's configuration count unless they are named. */
export function pickPolicy(options: Nullable<ThreadPolicy>): ThreadPolicy {
  const { approval_policy, sandbox_mode, default_permissions, ...config } = options.config ?? {}
  const rights =
    options.sandbox || options.permissions ? {} : { sandbox: sandbox_mode, permissions: default_permissions }
  const named: Record<string, unknown> = {
    approvalPolicy: approval_policy,
    ...rights,
    ...withoutNulls(options),
    config: Object.keys(config).length > 0 ? config : undefined,
  }
  return withoutNulls(Object.fromEntries(FIELDS.map((field) => [field, named[field]])))
}

/** The other options: what is sent as it is. */
export function withoutPolicy<T extends ThreadPolicy>(
  options: T,
): Omit<T, keyof ThreadPolicy | 'approvals' | 'listener' | 'tools'> {
  const own = new Set<string>([...FIELDS, 'approvals', 'listener', 'tools'])
  const kept = Object.entries(options).filter(([name]) => !own.has(name))
  return Object.fromEntries(kept) as ReturnType<typeof withoutPolicy<T>>
}

type Nullable<T> = { readonly [Key in keyof T]?: T[Key] | null }

function withoutNulls<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner != null)) as T
}

type Config = NonNullable<ClientParams<'thread/start'>['config']>

type PolicyParams = Pick<
  ClientParams<'thread/start'>,
  | 'approvalPolicy'
  | 'sandbox'
  | 'permissions'
  | 'approvalsReviewer'
  | 'model'
  | 'modelProvider'
  | 'serviceTier'
  | 'developerInstructions'
  | 'config'
>

/** The policy as parameters of `thread/start`, `thread/resume` and `thread/fork` for this version of codex. */
export function policyParams(
  policy: ThreadPolicy,
  context: RightsContext & { version: string | null; onMapped: (mapped: PolicyIncident) => void },
): PolicyParams {
  const {
    effort,
    approvalPolicy,
    sandbox: _,
    permissions: __,
    network: ___,
    allow: ____,
    confined: _____,
    trustedRoot: ______,
    distrusted: _______,
    gitFolders: ________,
    ...rest
  } = policy
  const { config, ...rights } = openingRights(policy, context)
  // As a parameter: since 0.150 codex exits, or refuses, when `untrusted` stands in the configuration.
  const sent = mapped(approvalPolicy, context.version)
  if (sent !== approvalPolicy)
    context.onMapped({
      type: 'policy-mapped',
      threadId: null,
      field: 'approvalPolicy',
      asked: approvalPolicy,
      got: sent,
    })
  const settings = {
    ...rest.config,
    ...(effort !== undefined && { model_reasoning_effort: effort }),
    ...config,
  }
  return {
    ...rest,
    ...rights,
    ...(sent !== undefined && { approvalPolicy: sent }),
    ...(Object.keys(settings).length > 0 && { config: settings }),
  }
}

/** 0.143 dropped `on-failure`; `on-request` is what codex itself turned it into. */
function mapped(
  asked: ApprovalPolicy | undefined,
  version: string | null,
): protocol.v2.AskForApproval | undefined {
  if (asked !== 'on-failure') return asked
  const isKnown = version !== null && !isAtLeast(version, '0.143.0')
  return isKnown ? (asked as unknown as protocol.v2.AskForApproval) : 'on-request'
}

type Settings = Partial<Omit<protocol.v2.ThreadStartResponse, 'thread'>>

const SANDBOX_TYPES: Readonly<Record<string, string>> = {
  'read-only': 'readOnly',
  'workspace-write': 'workspaceWrite',
  'danger-full-access': 'dangerFullAccess',
}

/** Where codex's answer differs from what was asked. A field codex does not report is not compared. */
export function policyDifferences(
  policy: ThreadPolicy,
  settings: Settings,
  threadId: string,
): PolicyIncident[] {
  // Where each turn brings its rights, the thread itself has none to compare.
  const opened = policy.trustedRoot === undefined ? {} : policy
  const pairs: readonly (readonly [keyof ThreadPolicy, unknown, unknown])[] = [
    ['approvalPolicy', policy.approvalPolicy, settings.approvalPolicy],
    ['sandbox', opened.sandbox && SANDBOX_TYPES[opened.sandbox], settings.sandbox?.type],
    ['permissions', opened.permissions, settings.activePermissionProfile?.id],
    ['approvalsReviewer', policy.approvalsReviewer, settings.approvalsReviewer],
    ['model', policy.model, settings.model],
    ['modelProvider', policy.modelProvider, settings.modelProvider],
    ['effort', policy.effort, settings.reasoningEffort],
    ['serviceTier', policy.serviceTier, settings.serviceTier],
  ]
  return pairs
    .filter(
      ([, asked, got]) =>
        asked !== undefined && got !== undefined && JSON.stringify(asked) !== JSON.stringify(got),
    )
    .map(([field, asked, got]) => ({ type: 'policy-differs', threadId, field, asked, got }))
}

type Overrides = Pick<
  ClientParams<'turn/start'>,
  | 'model'
  | 'effort'
  | 'serviceTier'
  | 'approvalPolicy'
  | 'approvalsReviewer'
  | 'sandboxPolicy'
  | 'permissions'
>

/** The policy with what a turn changes of its rights. */
export function policyFor(
  policy: ThreadPolicy,
  { sandbox, network }: Pick<ThreadPolicy, 'sandbox' | 'network'>,
): ThreadPolicy {
  const { permissions, ...kept } = policy
  const rights = sandbox === undefined ? { permissions } : { sandbox }
  return pickPolicy({ ...kept, ...rights, ...(network !== undefined && { network }) })
}

/** The policy after a turn's overrides, of which codex keeps these for the turns that follow. */
export function policyAfter(policy: ThreadPolicy, overrides: Overrides): ThreadPolicy {
  const { sandboxPolicy, permissions, ...rest } = overrides
  const { sandbox: _, permissions: __, ...kept } = policy
  const rights = permissions || sandboxPolicy ? newRights(sandboxPolicy, permissions) : policy
  return { ...kept, ...pickPolicy(rights), ...pickPolicy(rest as ThreadPolicy) }
}

/** A profile and a sandbox replace each other. Of a sandbox the policy keeps the mode; one without a name, nothing. */
function newRights(
  sandbox: protocol.v2.SandboxPolicy | null | undefined,
  permissions: string | null | undefined,
): ThreadPolicy {
  if (permissions) return { permissions }
  const mode = Object.entries(SANDBOX_TYPES).find(([, type]) => type === sandbox?.type)?.[0]
  return { sandbox: mode as protocol.v2.SandboxMode | undefined }
}
