// Where the work of a task goes when it is applied.
import type { StoredWorkspace } from '../store/index.ts'
import { findRepository, type Repository } from './git/repository.ts'
import type { Git } from './git/run-git.ts'
import { branchOf, commitOf, isAddress } from './plan.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface ApplyTarget {
  /** Gets its commits; null: none can be told, and one must be named. */
  readonly branch: string | null
  /** The checkout that gets its files as a patch. */
  readonly checkout: string
}

/** As people are shown it before they apply; null: there is no repository here. */
export async function applyTarget(row: StoredWorkspace, git: Git): Promise<ApplyTarget | null> {
  const repository = await sourceOf(row, git)
  if (repository === null) return null
  return { branch: await ownTarget(git, row, repository), checkout: repository.top }
}

export async function targetOf(row: StoredWorkspace, git: Git): Promise<Repository> {
  const found = await sourceOf(row, git)
  if (found) return found
  const { source, folder } = row
  const why = isFar(row) ? 'it was cloned from an address' : `${source} is no git repository any more`
  throw new WorkspaceError(
    'workspace-gone',
    `there is no repository here to apply it to: ${why}. Push it yourself from ${folder}`,
  )
}

/** `to`, or the branch it was begun from, or the one that is checked out where it was begun from a tag or a commit. */
export async function targetBranch(
  git: Git,
  row: StoredWorkspace,
  { repository, to }: { readonly repository: Repository; readonly to: string | undefined },
): Promise<string> {
  if (to !== undefined) {
    if (to !== row.branch && (await isBranch(git, repository, to))) return to
    throw new WorkspaceError('branch-moved', `${repository.top} has no branch ${to} to apply it to`)
  }
  const branch = await ownTarget(git, row, repository)
  if (branch !== null) return branch
  const why =
    row.base_ref && (await commitOf(git, repository, row.base_ref)) === null
      ? `${row.base_ref}, which it was begun from, is gone`
      : `${repository.top} has no branch checked out`
  throw new WorkspaceError('branch-moved', `${why}: name the branch to apply it to (--to <branch>)`)
}

/** Never a guess: when what it was begun from is gone, there is none. */
async function ownTarget(git: Git, row: StoredWorkspace, repository: Repository): Promise<string | null> {
  const named = row.base_ref?.replace(/^refs\/heads\//, '')
  if (named && named !== row.branch && (await isBranch(git, repository, named))) return named
  if (row.base_ref && (await commitOf(git, repository, row.base_ref)) === null) return null
  const current = await branchOf(git, repository)
  return current === row.branch ? null : current
}

async function sourceOf(row: StoredWorkspace, { machine }: Git): Promise<Repository | null> {
  return isFar(row) ? null : findRepository(machine.files, row.source!)
}

function isFar({ source }: StoredWorkspace): boolean {
  return source === null || isAddress(source)
}

/** By its exact name: `main~1` leads to a commit too. */
async function isBranch(git: Git, { commonDir }: Repository, name: string): Promise<boolean> {
  const args = ['show-ref', '--verify', '-q', `refs/heads/${name}`]
  return (await git.run({ gitDir: commonDir }, args, { exits: [0, 1, 128] })).exitCode === 0
}
