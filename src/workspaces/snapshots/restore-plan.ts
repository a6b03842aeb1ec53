// A restored task, planned: checked in full before anything is written.
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { ThreadPolicy } from '../../codex/index.ts'
import { insertWorkspace, type StoredSnapshot, type StoredWorkspace, taskRow } from '../../store/index.ts'
import { type PlannedWorkspace, type RestoredTask, TaskError } from '../../tasks/index.ts'
import type { SnapshotFacts } from './facts.ts'
import { modelNotice } from './model-notice.ts'
import type { SnapshotParts } from './snapshot-parts.ts'

export interface RestoreRequest {
  /** An empty or a new folder; default: a new one among the workspaces. */
  readonly into?: string | undefined
  readonly prompt?: string | undefined
  readonly title?: string | undefined
  readonly account?: string | undefined
  readonly codexHome?: string | undefined
  readonly codexPath?: string | undefined
  readonly host?: string | undefined
  /** What commands may touch. Default: as in the snapshot if it was taken here, else read-only. */
  readonly sandbox?: 'read-only' | 'workspace-write' | undefined
  /** Of a snapshot that came as a file: with the rights, the preset and the rules that it had. */
  readonly keepRights?: boolean | undefined
}

/** What a workspace row says of the snapshot that it is made from. */
export interface RestoreSeed {
  readonly snapshot: string
  readonly threadId: { readonly from: string; readonly to: string } | null
}

export interface RestorePlan {
  readonly restored: RestoredTask
  readonly workspaceId: string
}

interface PlanningParts extends SnapshotParts {
  /** The tools of these that this service has. */
  readonly knownTools: (names: readonly string[]) => readonly string[]
  /** Whether a person trusts a folder. */
  readonly isTrusted: (folder: string) => boolean
}

export async function planRestore(
  { row, facts }: { readonly row: StoredSnapshot; readonly facts: SnapshotFacts },
  request: RestoreRequest,
  parts: PlanningParts,
): Promise<RestorePlan> {
  const { now, settings, db } = parts
  if (request.host !== undefined)
    throw new TaskError(
      'not-supported',
      'a snapshot is restored on the machine of the service only, not on a host',
    )
  const { task } = facts
  const { labels, ...rights } = rightsOf({ row, facts }, request)
  const folder = request.into === undefined ? null : freeFolder(request.into)
  const { places } = await parts.here({ make: true })
  const place = placeOf(facts, { folder, parts, root: places.root, threadId: randomUUID() })
  refuseUntrusted(rights.policy, place.planned.cwd, parts)
  const tools = JSON.parse(task.tools) as string[]
  const kept = parts.knownTools(tools)
  const notice = modelNotice(facts, {
    ...{ machine: settings.machine, cwd: place.planned.cwd, now: now() },
    missingTools: tools.filter((name) => !kept.includes(name)),
  })
  const { prompt, account, codexHome, codexPath } = request
  return {
    workspaceId: place.row.id,
    restored: {
      ...{ snapshotId: facts.id, notice, prompt, account, codexHome, codexPath },
      ...{ place: place.planned, tools: kept, labels },
      forkedFrom: (await taskRow(db, task.id)) ? task.id : null,
      threadId: place.seed.threadId?.to ?? null,
      title: request.title ?? `${task.title} (restored)`,
      firstPrompt: task.prompt,
      kept: {
        ...rights,
        ...{ keep_open: task.keepOpen ? 1 : 0, timeout_ms: task.timeoutMs, snapshots: task.snapshots },
        ...{ approval_timeout_ms: task.approvalTimeoutMs, output_schema: task.outputSchema },
      },
    },
  }
}

type Rights = Pick<RestoredTask['kept'], 'policy' | 'preset' | 'rules'> & Pick<RestoredTask, 'labels'>

/**
 * What it may do without a person: a file from elsewhere does not bring that along unless a person says so. Standing rules and
 * hooks can be for a label.
 */
function rightsOf(
  { row, facts: { task } }: { readonly row: StoredSnapshot; readonly facts: SnapshotFacts },
  { keepRights, sandbox }: RestoreRequest,
): Rights {
  const isTaken = row.is_imported === 0
  const isKept = isTaken || keepRights === true
  const had = JSON.parse(task.policy) as ThreadPolicy
  const policy = {
    ...(isTaken ? owned(had) : brought(had, { isKept })),
    ...(sandbox !== undefined && { sandbox, permissions: undefined }),
  }
  return {
    policy: JSON.stringify(policy),
    preset: isKept ? task.preset : 'ask-all',
    rules: isKept ? task.rules : '[]',
    labels: isKept ? task.labels : [],
  }
}

/** Whether the new folder is trusted, and what git writes there, is looked up for it. */
function owned({ trustedRoot: _, distrusted: __, gitFolders: ___, ...policy }: ThreadPolicy): ThreadPolicy {
  return policy
}

/** Folders and domains are those of another machine, and configuration can name programs: neither comes with a file. */
function brought(policy: ThreadPolicy, { isKept }: { readonly isKept: boolean }): ThreadPolicy {
  const { model, effort, developerInstructions, confined } = policy
  const how = { model, effort, developerInstructions, ...(confined === true && { confined }) }
  const least = { ...how, approvalPolicy: 'on-request', sandbox: 'read-only' } as const
  if (!isKept) return least
  const { approvalPolicy = least.approvalPolicy, sandbox, permissions } = policy
  if (permissions != null) return { ...how, approvalPolicy, permissions }
  return { ...how, approvalPolicy, sandbox: sandbox ?? least.sandbox }
}

function refuseUntrusted(policy: string, cwd: string, { isTrusted }: PlanningParts): void {
  const { sandbox, permissions } = JSON.parse(policy) as { sandbox?: string; permissions?: string }
  const isWide =
    sandbox === 'danger-full-access' || (permissions !== undefined && permissions !== ':read-only')
  if (!isWide || (existsSync(cwd) && isTrusted(cwd))) return
  throw new TaskError(
    'folder-untrusted',
    'the task had full access, or a permission profile of its own, and nobody trusts the new folder yet: restore it with --sandbox workspace-write or read-only',
  )
}

/** Absolute, and nothing is in it. */
function freeFolder(into: string): string {
  const refused = (why: string) =>
    new TaskError('bad-request', `${into} ${why}: name a folder that is empty, or not there yet`)
  if (!path.isAbsolute(into)) throw refused('is not absolute')
  const facts = lstatSync(into, { throwIfNoEntry: false })
  if (!facts) {
    const above = path.dirname(path.resolve(into))
    if (!existsSync(above)) throw refused('cannot be made, because the folder above is not there')
    return path.join(realpathSync(above), path.basename(path.resolve(into)))
  }
  if (!facts.isDirectory()) throw refused('is not a folder')
  if (readdirSync(into).length > 0) throw refused('is not empty')
  return realpathSync(into)
}

function placeOf(
  facts: SnapshotFacts,
  {
    folder,
    parts,
    root,
    threadId,
  }: { folder: string | null; parts: SnapshotParts; root: string; threadId: string },
): { planned: PlannedWorkspace; row: Omit<StoredWorkspace, 'task_id'>; seed: RestoreSeed } {
  const { now, workerId } = parts
  const { branch, base, from, source } = facts.workspace
  const id = `${slugOf(facts)}-${randomBytes(3).toString('hex')}`
  const seed: RestoreSeed = {
    snapshot: facts.id,
    threadId: facts.threadId === null ? null : { from: facts.threadId, to: threadId },
  }
  const row = {
    ...{ id, part_of: null, worker_id: workerId, kind: 'snapshot', state: 'planned', host: null },
    folder: folder ?? path.join(root, id),
    ...{ source, repository: null, branch, owns_branch: 0, base_ref: from, base_commit: base },
    ...{ seed: JSON.stringify(seed), filters: 0, keep: 1, problem: null },
    ...{ created_at: now(), made_at: null, removed_at: null },
  }
  const { prefix } = facts
  return {
    row,
    seed,
    planned: {
      cwd: path.join(row.folder, prefix),
      workspace: { kind: 'snapshot', id, source, branch, from, base, keep: true, commitsTo: null, parts: [] },
      record: (db, task) => insertWorkspace(db, { ...row, task_id: task.id }),
    },
  }
}

function slugOf({ workspace, task }: SnapshotFacts): string {
  const name = path.basename(workspace.source ?? task.cwd).replace(/\.git$/, '')
  return (
    name
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[.-]+/, '')
      .slice(0, 40) || 'snapshot'
  )
}
