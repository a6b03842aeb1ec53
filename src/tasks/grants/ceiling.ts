// How wide a caller may make a task, field by field. A field without a decision does not compile; one that is not known
// is refused.
import type { AllowedPath, NetworkAccess, PresetName, ThreadPolicy, TurnInput } from '../../codex/index.ts'
import { isBelow, isInside } from '../../util/is-inside.ts'
import {
  foldersOn,
  type Grant,
  isWider,
  PRESETS_BY_WIDTH,
  type StartTask,
  type TaskChange,
  type TurnOverrides,
  type WorkspaceKind,
  type WorkspaceRequest,
} from '../model/index.ts'
import { aboveCeiling } from './not-permitted.ts'

/** What a field is judged with. */
interface Context {
  readonly grant: Grant
  /** The task's folder. */
  readonly cwd: string
  /** The machine that folder is on; null: this one. */
  readonly host: string | null
  /** In force once the request is carried out. */
  readonly sandbox: NonNullable<ThreadPolicy['sandbox']>
}

/** Throws `not-permitted`. */
type Check<Value> = (value: Value, context: Context) => void
type Checks<Fields> = { readonly [Name in keyof Fields]-?: Check<NonNullable<Fields[Name]>> }

const free: Check<unknown> = () => {}

const refused =
  (what: string): Check<unknown> =>
  (_, { grant }) => {
    throw aboveCeiling(grant, { what, flag: null })
  }

const checkSandbox: Check<NonNullable<ThreadPolicy['sandbox']>> = (sandbox, { grant }) => {
  if (!isWider(sandbox, grant.ceiling.sandbox)) return
  throw aboveCeiling(grant, { what: `use the sandbox ${sandbox}`, flag: `--sandbox ${sandbox}` })
}

const checkPreset: Check<PresetName> = (preset, { grant }) => {
  if (PRESETS_BY_WIDTH.indexOf(preset) <= PRESETS_BY_WIDTH.indexOf(grant.ceiling.preset)) return
  throw aboveCeiling(grant, { what: `use the preset ${preset}`, flag: `--preset ${preset}` })
}

/** Domains are less than all of the network, and more than none. */
const checkNetwork: Check<NetworkAccess> = (network, { grant }) => {
  if (network === false || grant.ceiling.network) return
  throw aboveCeiling(grant, { what: 'give commands the network', flag: '--network' })
}

/** Each is held to the folders of the token as its working folder is; to write there takes a sandbox that writes. */
const checkAllow: Check<readonly AllowedPath[]> = (allow, context) => {
  for (const { path, access } of allow) {
    checkPlace(path, context, 'let commands touch')
    if (access === 'rw') checkSandbox('workspace-write', context)
  }
}

/** A profile of the user's can be as wide as no sandbox at all. */
const checkPermissions: Check<string> = (permissions, { grant }) => {
  if (permissions === ':read-only' || grant.ceiling.sandbox === 'danger-full-access') return
  const what = `use the permission profile ${permissions}`
  throw aboveCeiling(grant, { what, flag: '--sandbox danger-full-access' })
}

/** Inside a sandbox, asking less means that more is refused. Without one, it means that more is done unasked. */
const checkApprovalPolicy: Check<NonNullable<ThreadPolicy['approvalPolicy']>> = (approvalPolicy, context) => {
  const { grant, sandbox } = context
  if (approvalPolicy === 'untrusted' || approvalPolicy === 'on-request') return
  if (sandbox !== 'danger-full-access' || grant.ceiling.preset === 'trusted') return
  throw aboveCeiling(grant, {
    what: 'run without a sandbox and without questions',
    flag: '--preset trusted',
  })
}

/** Labels choose standing rules and tools: those of its own name are nobody else's. */
const checkLabels: Check<readonly string[]> = (labels, { grant }) => {
  const other = labels.find((label) => label !== grant.name && !label.startsWith(`${grant.name}:`))
  if (other === undefined) return
  const what = `set the label ${JSON.stringify(other)}: its labels are ${grant.name} and ${grant.name}:…`
  throw aboveCeiling(grant, { what, flag: null })
}

const checkCwd: Check<string> = (cwd, context) => checkPlace(cwd, context, 'work in')

function checkPlace(place: string, { grant, host }: Pick<Context, 'grant' | 'host'>, verb: string): void {
  if (host !== null) return checkPlaceThere(place, { grant, host }, verb)
  const { folders } = grant.ceiling
  if (folders === null || isInside(folders, place)) return
  throw aboveCeiling(grant, { what: `${verb} ${place}`, flag: '--folder' })
}

/** By what it is called. Where it really leads is looked up there before every turn. */
function checkPlaceThere(
  place: string,
  { grant, host }: { grant: Grant; host: string },
  verb = 'work in',
): void {
  const folders = foldersOn(host, grant.ceiling)
  if (folders === undefined)
    throw aboveCeiling(grant, { what: `run a task on host ${host}`, flag: `--host ${host}` })
  if (folders === null || folders.some((folder) => isBelow(folder, place))) return
  throw aboveCeiling(grant, { what: `${verb} ${place} on host ${host}`, flag: `--host ${host}:${place}` })
}

const checkHost: Check<string> = (host, { grant, cwd }) => checkPlaceThere(cwd, { grant, host })

const checkAccount: Check<string> = (account, { grant }) => {
  if (grant.ceiling.accounts?.includes(account)) return
  throw aboveCeiling(grant, { what: `run a task on the account ${account}`, flag: `--account ${account}` })
}

/** codex itself reads these files, outside any sandbox. Those of a host cannot be looked at here: it gets none by a path. */
const checkInput: Check<TurnInput> = (input, { grant, cwd, host }) => {
  if (typeof input === 'string') return
  const allowed = host === null ? [cwd, ...(grant.ceiling.folders ?? [])] : []
  for (const item of input) {
    if (item.type === 'text') continue
    const isData = 'url' in item && item.url.startsWith('data:')
    const isNear = 'path' in item && isInside(allowed, item.path)
    if (!isData && !isNear)
      throw aboveCeiling(grant, {
        what: `give codex ${item.type} from outside its folders`,
        flag: '--folder',
      })
  }
}

function checkWorkspace(
  { kind, commits }: Pick<WorkspaceRequest, 'commits'> & { readonly kind: WorkspaceKind },
  { grant }: Pick<Context, 'grant'>,
): void {
  if (commits) throw aboveCeiling(grant, { what: 'let codex commit by itself', flag: null })
  if (kind === 'clone') throw aboveCeiling(grant, { what: 'clone a repository', flag: null })
  // A workspace is in none of them.
  if (kind !== 'folder' && grant.ceiling.folders !== null)
    throw aboveCeiling(grant, { what: `work in a ${kind}, outside of its folders`, flag: null })
}

const POLICY: Checks<ThreadPolicy> = {
  approvalPolicy: checkApprovalPolicy,
  sandbox: checkSandbox,
  permissions: checkPermissions,
  network: checkNetwork,
  allow: checkAllow,
  confined: free,
  trustedRoot: refused('say which folders are trusted'),
  distrusted: refused('say which folders are trusted'),
  gitFolders: refused('say what commands may write to'),
  config: refused("set codex's configuration"),
  approvalsReviewer: (reviewer, { grant }) => {
    if (reviewer !== 'user')
      throw aboveCeiling(grant, { what: `let ${reviewer} answer instead of people`, flag: null })
  },
  model: free,
  modelProvider: free,
  effort: free,
  serviceTier: free,
  developerInstructions: free,
}

const START: Checks<Omit<StartTask, 'idempotencyKey' | 'parent'>> = {
  prompt: checkInput,
  cwd: checkCwd,
  title: free,
  codexPath: refused('choose the codex program'),
  codexHome: refused('choose the codex home'),
  account: checkAccount,
  // Of accounts it switches only within the pool that was asked for.
  onLimit: free,
  policy: (policy, context) => checkFields(POLICY, policy, context),
  preset: checkPreset,
  rules: refused('bring rules of its own'),
  labels: checkLabels,
  // An empty list would keep people from hearing of questions.
  notify: refused('choose who is notified'),
  keepOpen: free,
  timeoutMs: free,
  approvalTimeoutMs: free,
  outputSchema: free,
  on: free,
  onLost: free,
  host: checkHost,
  workspace: checkWorkspace,
  shareFolder: free,
  // They hold the thread and all files.
  snapshots: refused('have snapshots taken'),
  tools: (tools, { grant }) => {
    if (tools.length > 0) throw aboveCeiling(grant, { what: 'choose tools for a task', flag: null })
  },
}

const OVERRIDES: Checks<TurnOverrides> = {
  model: free,
  effort: free,
  approvalPolicy: checkApprovalPolicy,
  sandbox: checkSandbox,
  preset: checkPreset,
  outputSchema: free,
}

const CHANGE: Checks<TaskChange> = {
  title: free,
  archived: free,
  labels: checkLabels,
  notify: refused('choose who is notified'),
  preset: checkPreset,
  rules: refused('bring rules of its own'),
  network: checkNetwork,
}

export function checkStart({ idempotencyKey: _, parent: __, ...request }: StartTask, grant: Grant): void {
  const { cwd, host = null, policy } = request
  const context = { grant, cwd, host, sandbox: policy?.sandbox ?? 'read-only' }
  checkFields(START, request, context)
}

export function checkOverrides(overrides: TurnOverrides, context: Context): void {
  checkFields(OVERRIDES, overrides, { ...context, sandbox: overrides.sandbox ?? context.sandbox })
}

export function checkChange(fields: TaskChange, context: Context): void {
  checkFields(CHANGE, fields, context)
}

export function checkMessage(input: TurnInput | undefined, context: Context): void {
  if (input !== undefined) checkInput(input, context)
}

/** What a task has of its policy now, whoever set it. */
export function checkPolicy(policy: ThreadPolicy, context: Context): void {
  checkFields(POLICY, policy, context)
}

export { type Context, checkAccount, checkCwd, checkNetwork, checkPreset, checkWorkspace }

function checkFields<Fields extends object>(checks: Checks<Fields>, given: Fields, context: Context): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    const check: Check<never> = Object.hasOwn(checks, name)
      ? (checks[name as keyof Fields] as Check<never>)
      : refused(`set ${name}`)
    check(value as never, context)
  }
}
