// Whether a caller may go on with a task as it is now: a person may have made it wider since it was started.
import { parseRuleText } from '../../codex/index.ts'
import {
  type Ceiling,
  foldersOn,
  type Grant,
  hostOfHome,
  OUTWARD_TOOLS,
  type Task,
  type TaskService,
} from '../model/index.ts'
import { type Context, checkAccount, checkCwd, checkPolicy, checkPreset } from './ceiling.ts'
import { aboveCeiling } from './not-permitted.ts'

/** Throws `not-permitted` when the task is wider than the token's ceiling. Returns what requests about it are judged with. */
export async function checkReach(
  task: Task,
  { grant, tasks, isOwn }: { grant: Grant; tasks: Pick<TaskService, 'rules'>; isOwn: boolean },
): Promise<Context> {
  const { sandbox = 'read-only', config, ...policy } = task.policy
  const context: Context = { grant, cwd: task.cwd, host: task.host, sandbox }
  checkCwd(task.cwd, context)
  for (const { folder } of task.workspace?.parts ?? []) checkCwd(folder, context)
  checkPreset(task.preset, context)
  // Of its own tasks the owner, or the service, has set these; others' were never meant for this token.
  checkPolicy({ ...policy, sandbox, ...(!isOwn && config && { config }) }, context)
  if (!isOwn) await refuseForeign(task, { context, tasks })
  return context
}

const SANDBOX_OF: Readonly<Record<string, Ceiling['sandbox']>> = {
  readOnly: 'read-only',
  workspaceWrite: 'workspace-write',
}

/** A turn that was begun in a terminal has the rights it was given there, whatever the task's own are. */
export function checkInForce({ effectivePolicy, cwd, host }: Task, { grant }: Context): void {
  const { sandbox: heard, approvalPolicy, approvalsReviewer, cwd: at } = (effectivePolicy ?? {}) as InForce
  const sandbox = heard ? (SANDBOX_OF[heard.type] ?? 'danger-full-access') : undefined
  const context: Context = { grant, cwd, host, sandbox: sandbox ?? 'read-only' }
  const network = heard?.networkAccess === true || heard?.networkAccess === 'enabled'
  const policy = { sandbox, network, approvalPolicy, approvalsReviewer }
  if (at != null) checkCwd(at, context)
  checkPolicy(policy as Task['policy'], context)
}

/** In codex's own words. */
interface InForce {
  readonly sandbox?: { readonly type: string; readonly networkAccess?: unknown } | null
  readonly approvalPolicy?: unknown
  readonly approvalsReviewer?: unknown
  readonly cwd?: string | null
}

async function refuseForeign(
  task: Task,
  { context, tasks }: { context: Context; tasks: Pick<TaskService, 'rules'> },
): Promise<void> {
  const { grant } = context
  const refuse = (what: string) => {
    throw aboveCeiling(grant, { what: `go on with a task that another started ${what}`, flag: null })
  }
  // The home of a task with an account is the account's, that of a codex on a host is the host's.
  const isHomeNamed = task.codexHome !== null && hostOfHome(task.codexHome) === null
  if (task.codexPath !== null || (isHomeNamed && task.account === null)) refuse('on a codex of its own')
  // Where its folder really leads is looked up only for tasks of tokens that folders were given to.
  if (task.host !== null && foldersOn(task.host, grant.ceiling) !== null)
    throw aboveCeiling(grant, {
      what: `go on with a task on host ${task.host} that another started`,
      flag: `--host ${task.host}`,
    })
  if (task.account !== null) checkAccount(task.account, context)
  if (task.rules.length > 0) refuse('with rules of its own')
  if (task.tools.some((name) => !OUTWARD_TOOLS.includes(name))) refuse('with tools of its own')
  if (task.workspace?.commitsTo) refuse('and that may commit by itself')
  if (task.labels.length === 0) return
  const labels = new Set((await tasks.rules()).flatMap(({ text }) => labelsIn(text)))
  const label = task.labels.find((each) => labels.has(each))
  if (label !== undefined) refuse(`with the label ${JSON.stringify(label)}, which a standing rule is about`)
}

function labelsIn(text: string): readonly string[] {
  return parseRuleText(text).rule?.match.labels ?? []
}
