// Brings the work of a task back to the repository it came from. All of it is worked out in the history first, without a
// checkout; then the branch moves in one step, and a checkout of it follows as git's own fast-forward lets it.
import path from 'node:path'
import type { StoredWorkspace } from '../store/index.ts'
import { targetBranch, targetOf } from './apply-target.ts'
import { refuseChanged, refuseOtherBranch } from './commit-work.ts'
import { type ChangedFile, changedFiles, patchFile } from './git/compare.ts'
import type { History } from './git/history.ts'
import { checkoutPlace, type Repository } from './git/repository.ts'
import type { Git, GitPlace } from './git/run-git.ts'
import { historyOf, type InspectParts, inspect, isOwnRepository, ownFiles, type Work } from './inspect.ts'
import { copyObjects } from './make.ts'
import { mergedTree, NOBODY, rebased } from './merge-trees.ts'
import { commitOf } from './plan.ts'
import { checkoutOf, fastForward, inTheWay, refuseDirty, takenBack } from './user-checkout.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface ApplyRequest {
  readonly method: 'merge' | 'rebase' | 'patch'
  /** The branch that gets the commits; default: the one the work was begun from. */
  readonly to?: string | undefined
  /** Refused when the work is not as it was shown. */
  readonly seen?: string | undefined
}

export interface Applied {
  readonly method: ApplyRequest['method']
  /** The branch that has it now; null: the files only, uncommitted. */
  readonly branch: string | null
  readonly commit: string | null
  /** The checkout whose files changed; null: the branch is checked out nowhere. */
  readonly checkout: string | null
  readonly files: readonly string[]
}

export interface ApplyParts extends InspectParts {
  readonly atStep: (name: string) => void | Promise<void>
}

export async function applyWork(
  row: StoredWorkspace,
  { method, seen, to }: ApplyRequest,
  parts: ApplyParts,
): Promise<Applied> {
  const target = await targetOf(row, parts.git)
  if (method === 'patch' && to !== undefined)
    throw new WorkspaceError('nothing-to-do', 'a patch goes to the files of a checkout: it takes no branch')
  const work = await inspect(row, parts)
  refuseChanged(work, seen)
  const history = historyOf(row, parts)
  if (isOwnRepository(row)) await history.borrowFrom([row.repository!, target.commonDir])
  const at: Applying = { ...parts, row, work, history, target, to }
  return method === 'patch' ? applyPatch(at) : applyCommits(method, at)
}

interface Applying extends ApplyParts {
  readonly row: StoredWorkspace
  readonly work: Work
  readonly history: History
  readonly target: Repository
  readonly to: string | undefined
}

async function applyCommits(method: 'merge' | 'rebase', at: Applying): Promise<Applied> {
  const { git, row, work, history, target, to, atStep } = at
  refuseOtherBranch(row, work)
  const open = ownFiles(work.uncommitted)
  if (open.length > 0)
    throw new WorkspaceError(
      'uncommitted-work',
      `${open.length} files are in no commit: commit them first, or apply them as a patch`,
      {
        details: { files: open.map(({ path: name }) => name) },
      },
    )
  const branch = await targetBranch(git, row, { repository: target, to })
  const tip = (await commitOf(git, { gitDir: target.commonDir }, `refs/heads/${branch}`))!
  if (await isAncestor(git, history.place, work.head, tip))
    throw new WorkspaceError('nothing-to-do', `${branch} has all commits of ${row.branch}`)
  const commit =
    method === 'merge'
      ? await merged(at, { branch, tip })
      : await rebased(git, history, { onto: tip, head: work.head })
  await atStep('apply-computed')
  const shared = { gitDir: target.commonDir }
  await copyObjects(git, { from: history.place, to: shared, wanted: [commit], known: [tip] })
  await history.name('refs/applied/from', work.head)
  await history.name('refs/applied/as', commit)
  await atStep('apply-copied')
  const files = (await changedFiles(git, history, { from: tip, to: commit })).flatMap(namesOf)
  const checkout = await checkoutOf(git, target, branch)
  if (checkout === null) await moveBranch(git, shared, { branch, from: tip, to: commit })
  else await fastForward(git, row, { checkout, branch, commit, files })
  await atStep('applied')
  return { method, branch, commit, checkout, files }
}

async function merged(
  { git, history, work, row }: Applying,
  { branch, tip }: { readonly branch: string; readonly tip: string },
): Promise<string> {
  if (await isAncestor(git, history.place, tip, work.head)) return work.head
  const tree = await mergedTree(git, history, { ours: tip, theirs: work.head })
  const message = `Merge branch '${row.branch}' into ${branch}\n`
  return git.text(history.place, ['commit-tree', tree, '-p', tip, '-p', work.head, '-F', '-'], {
    input: message,
  })
}

/** The files as the task has them, as changes to the checkout that are in no commit. */
async function applyPatch(at: Applying): Promise<Applied> {
  const { git, row, work, history, target, atStep } = at
  if (ownFiles(work.files).length === 0)
    throw new WorkspaceError('nothing-to-do', 'the task has changed no file')
  const tip = await commitOf(git, target, 'HEAD')
  if (tip === null) throw new WorkspaceError('branch-moved', `${target.top} has no commit`)
  const theirs = await git.text(history.place, ['commit-tree', work.tree, '-p', work.base, '-F', '-'], {
    input: 'work\n',
    env: NOBODY,
  })
  const tree = await mergedTree(git, history, { ours: tip, theirs })
  const files = (await changedFiles(git, history, { from: tip, to: tree })).flatMap(namesOf)
  if (files.length === 0) throw new WorkspaceError('nothing-to-do', `${target.top} has all of it`)
  const patch = path.join(history.dir, 'patch')
  await patchFile(git, history, { from: tip, to: tree, file: patch })
  const place = await checkoutPlace(git, target, { filters: row.filters === 1 })
  await refuseDirty(git, place, { files, top: target.top })
  await atStep('apply-computed')
  const apply = ['apply', '--whitespace=nowarn']
  await git.run(place, [...apply, '--check'], { inputFile: patch }).catch((error: unknown) => {
    throw inTheWay(error, target.top)
  })
  await git.run(place, apply, { inputFile: patch }).catch(async (error: unknown) => {
    throw await takenBack(error, { git, place, top: target.top, tip, files })
  })
  await git.machine.files.remove(patch)
  await atStep('applied')
  return { method: 'patch', branch: null, commit: null, checkout: target.top, files }
}

/** Also the name that it had before. */
function namesOf({ path: name, from }: ChangedFile): string[] {
  return from === null ? [name] : [name, from]
}

async function isAncestor(git: Git, place: GitPlace, older: string, newer: string): Promise<boolean> {
  const { exitCode } = await git.run(place, ['merge-base', '--is-ancestor', older, newer], { exits: [0, 1] })
  return exitCode === 0
}

async function moveBranch(
  git: Git,
  shared: GitPlace,
  { branch, from, to }: { readonly branch: string; readonly from: string; readonly to: string },
): Promise<void> {
  const args = ['update-ref', '-m', 'drawbridge: apply', `refs/heads/${branch}`, to, from]
  await git.run(shared, args).catch((cause: unknown) => {
    throw new WorkspaceError(
      'branch-moved',
      `${branch} has moved meanwhile: nothing was changed, try again`,
      { cause },
    )
  })
}
