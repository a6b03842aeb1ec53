// What of a task goes into a snapshot.
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { StoredTask, StoredWorkspace } from '../../store/index.ts'
import { rolloutsOf, TaskError, type TaskWorkspace } from '../../tasks/index.ts'
import { findRepository } from '../git/repository.ts'
import type { Git } from '../git/run-git.ts'
import { repositoryCopyDir } from '../places.ts'
import { branchOf, commitOf } from '../plan.ts'
import { WorkspaceError } from '../workspace-error.ts'
import type { SnapshotWorkspace } from './facts.ts'
import { copyRepository } from './git-copy.ts'
import type { Packing } from './pack.ts'
import { rolloutWay } from './place-thread.ts'
import type { SnapshotParts } from './snapshot-parts.ts'

export interface TaskPacking extends Packing {
  readonly workspace: SnapshotWorkspace
  /** From its top to where the task works. */
  readonly prefix: string
  readonly codexVersion: string | null
}

interface Excludes {
  readonly exclude: readonly string[]
  readonly gitignore: boolean
}

/** `row`: of its workspace; null: it works in a folder of the user's. */
export async function packingOf(
  task: StoredTask,
  { row, excludes, root }: { row: StoredWorkspace | null; excludes: Excludes; root: string },
  parts: SnapshotParts,
): Promise<TaskPacking> {
  const { git, places } = await parts.here()
  const folder = topOf(task, row)
  const home = task.codex_home ?? parts.settings.codexHome
  const rollouts = task.thread_id === null ? [] : rolloutsOf(task.thread_id, home)
  if (task.thread_id !== null && rollouts.length === 0 && task.turn_count > 0)
    throw new WorkspaceError(
      'snapshot-impossible',
      `the thread ${task.thread_id} of the task is not in ${home}: there is no history to keep`,
    )
  const isWorktree = row?.kind === 'worktree'
  const dir = isWorktree ? repositoryCopyDir(places, row.id) : ''
  return {
    folder,
    prefix: prefixOf(task, folder),
    rules: {
      ...excludes,
      never: new Set([parts.dataDir, root, places.root].map(realOf)),
      homes: new Set([home, parts.settings.codexHome].map(realOf)),
      replaced: new Set(isWorktree ? ['.git'] : []),
    },
    extra: rollouts.map(({ file }) => ({ file, root: 'thread', way: rolloutWay(file, home) })),
    gitDir: isWorktree ? await copyRepository(row, { git, dir }) : null,
    workspace: row ? ofRow(task) : await ofFolder(folder, git),
    codexVersion: rollouts[0]?.version ?? null,
  }
}

/** A command can have put a link in the place of the folder that it works in. */
function prefixOf({ cwd }: StoredTask, folder: string): string {
  const prefix = path.relative(folder, realOf(cwd))
  if (!prefix.split(path.sep).includes('..')) return prefix
  throw new WorkspaceError(
    'snapshot-impossible',
    `${cwd} leads out of the workspace ${folder}: put the folder back in its place, and take another snapshot`,
  )
}

function topOf(task: StoredTask, row: StoredWorkspace | null): string {
  const place = row?.folder ?? task.cwd
  if (!existsSync(place)) throw new WorkspaceError('workspace-gone', `${place} is not there`)
  if (row && lstatSync(place).isSymbolicLink())
    throw new WorkspaceError(
      'snapshot-impossible',
      `there is a link in the place of the workspace ${place}: put the folder back`,
    )
  return realpathSync(place)
}

function ofRow({ workspace }: StoredTask): SnapshotWorkspace {
  const { kind, source, branch, from, base } = JSON.parse(workspace!) as TaskWorkspace
  return { kind, source, branch, from, base }
}

/** Of a folder that is a repository itself, its branch and its last commit. */
async function ofFolder(folder: string, git: Git): Promise<SnapshotWorkspace> {
  const none = { kind: 'folder', source: folder, branch: null, from: null, base: null }
  const dotGit = path.join(folder, '.git')
  if (!lstatSync(dotGit, { throwIfNoEntry: false })?.isDirectory()) return none
  const repository = await findRepository(git.machine.files, folder)
  if (!repository) return none
  const branch = await branchOf(git, repository)
  const base = branch === null ? null : await commitOf(git, repository, 'HEAD')
  return { ...none, branch, from: branch, base }
}

function realOf(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return path.resolve(place)
  }
}

/** Of the others the snapshot would have nothing. */
export function refuseSeveral({ workspace }: Pick<StoredTask, 'workspace'>): void {
  const { parts = [] } = (workspace === null ? {} : JSON.parse(workspace)) as Partial<TaskWorkspace>
  if (parts.length > 0)
    throw new TaskError(
      'not-supported',
      'the task works in several repositories: snapshots are taken of tasks in one',
    )
}

export function refuseElsewhere({ host }: Pick<StoredTask, 'host'>): void {
  if (host !== null)
    throw new TaskError(
      'not-supported',
      `the task works on host ${host}: snapshots are taken of local folders only`,
    )
}
