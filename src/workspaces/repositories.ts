// A task that works in several repositories: a worktree of each, side by side, tied to the first. And which of them is meant.
import path from 'node:path'
import type { StoredWorkspace } from '../store/index.ts'
import {
  type PlannedWorkspace,
  TaskError,
  type WorkspacePart,
  type WorkspaceRequest,
} from '../tasks/index.ts'
import type { Patch } from './git/compare.ts'
import { type Planned, type PlanParts, plan } from './plan.ts'
import { WorkspaceError } from './workspace-error.ts'

/** More would make each turn wait for the states of all of them. */
const MAX_ALSO = 10

export async function planAll(
  { also = [], ...first }: WorkspaceRequest,
  { cwd }: { readonly cwd: string },
  parts: PlanParts,
): Promise<PlannedWorkspace> {
  if (also.length === 0) return plan(first, { cwd }, parts)
  refuseStray(first, also, parts.git.machine.host)
  const all = [await plan(first, { cwd }, parts)]
  for (const { source, ...begin } of also) {
    const one = await planOne(source, begin, parts)
    const twice = all.find(({ row }) => row.repository === one.row.repository)
    if (twice) throw bad(`${source} is in ${twice.row.source}, which the task has already: name it once`)
    all.push(one)
  }
  return joined(all)
}

async function planOne(
  source: string,
  begin: Pick<WorkspaceRequest, 'branch' | 'from'>,
  parts: PlanParts,
): Promise<Planned> {
  if (!path.isAbsolute(source)) throw bad(`name the further repository from / on, not ${source}`)
  return plan({ kind: 'worktree', ...begin }, { cwd: source }, parts).catch((error: unknown) => {
    if (!(error instanceof TaskError)) throw error
    throw new TaskError(error.code, `of the further repository ${source}: ${error.message}`, { cause: error })
  })
}

function refuseStray(
  { kind, commits }: WorkspaceRequest,
  also: readonly unknown[],
  host: string | null,
): void {
  if (kind !== 'worktree')
    throw bad(`a ${kind} has no further repositories: use a worktree, or leave them out`)
  if (commits)
    throw bad('with further repositories commits are made by people: leave out that codex may commit')
  if (host !== null)
    throw bad(`on ${host} a task works in one repository: leave the others out, or run it on this machine`)
  if (also.length > MAX_ALSO) throw bad(`a task has at most ${MAX_ALSO} further repositories`)
}

/** The first is where the task works. All are on record in one change. */
export function joined([first, ...others]: readonly Planned[]): PlannedWorkspace {
  return {
    cwd: first!.cwd,
    workspace: { ...first!.workspace, parts: others.map(partOf) },
    record: async (db, task) => {
      await first!.record(db, task)
      for (const other of others) await other.record(db, task, { partOf: first!.row.id })
    },
  }
}

function partOf({ row: { id, folder, source, branch, base_ref, base_commit } }: Planned): WorkspacePart {
  return { id, folder, source: source!, branch: branch!, from: base_ref, base: base_commit! }
}

/** Those that were not removed; of a task whose workspaces are all removed the first, to say so of. */
export function present(rows: readonly StoredWorkspace[]): readonly StoredWorkspace[] {
  const left = rows.filter(({ state }) => state !== 'removed')
  return left.length > 0 ? left : rows.slice(0, 1)
}

/** By its id, or by the name of its repository's folder when only one is called so. */
export function named(rows: readonly StoredWorkspace[], name: string): StoredWorkspace {
  const byId = rows.find(({ id }) => id === name)
  const byFolder = rows.filter((row) => nameOf(row) === name)
  const found = byId ?? (byFolder.length === 1 ? byFolder[0] : undefined)
  if (found) return found
  const why =
    byFolder.length > 1 ? `has several repositories ${name}: name one by its id` : `has no repository ${name}`
  throw new WorkspaceError('repository-not-found', `the task ${why}. It has ${listText(rows)}`, {
    details: { repositories: rows.map(({ id, source }) => ({ id, source })) },
  })
}

/** Nothing was done in any of them. */
export function repositoryNeeded(rows: readonly StoredWorkspace[]): WorkspaceError {
  return new WorkspaceError(
    'repository-needed',
    `the task has several repositories: say which is meant, of ${listText(rows)}`,
    { details: { repositories: rows.map(({ id, source }) => ({ id, source })) } },
  )
}

function listText(rows: readonly StoredWorkspace[]): string {
  return rows.map((row) => `${row.id} (${row.source})`).join(', ')
}

function nameOf({ source, id }: StoredWorkspace): string {
  return source === null ? id : path.basename(source)
}

export interface RepositoryPatch extends Patch {
  readonly id: string
  readonly source: string
}

/** One after the other, each below a line that git apply passes over. */
export function joinPatches(patches: readonly RepositoryPatch[]): Patch {
  const parts = patches
    .filter(({ text }) => text !== '')
    .map(({ id, source, text }) => {
      const line = `# ${id}: ${source}`.replaceAll(/[\x00-\x1f\x7f]/g, '?')
      return `${line}\n${text.endsWith('\n') ? text : `${text}\n`}`
    })
  return { text: parts.join(''), isCut: patches.some(({ isCut }) => isCut) }
}

function bad(message: string): TaskError {
  return new TaskError('bad-request', message)
}
