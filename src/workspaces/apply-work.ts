// Brings the work of a task back to the repository it came from. All of it is worked out in the history first, without a
// checkout; then the branch moves in one step, and a checkout of it follows as git's own fast-forward lets it.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { StoredWorkspace } from '../store/index.ts'
import { refuseChanged, refuseOtherBranch } from './commit-work.ts'
import { type ChangedFile, changedFiles, patchBytes } from './git/compare.ts'
import type { History } from './git/history.ts'
import { checkoutPlace, findRepository, type Repository } from './git/repository.ts'
import type { Git, GitPlace } from './git/run-git.ts'
import { historyOf, type InspectParts, inspect, ownFiles, type Work } from './inspect.ts'
import { copyObjects } from './make.ts'
import { mergedTree, NOBODY, rebased } from './merge-trees.ts'
import { branchOf, commitOf, isAddress } from './plan.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface ApplyRequest {
  readonly method: 'merge' | 'rebase' | 'patch'
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
  { method, seen }: ApplyRequest,
  parts: ApplyParts,
): Promise<Applied> {
  const target = targetOf(row)
  const work = await inspect(row, parts)
  refuseChanged(work, seen)
  const history = historyOf(row, parts)
  if (row.kind === 'clone') await history.borrowFrom([row.repository!, target.commonDir])
  const at: Applying = { ...parts, row, work, history, target }
  return method === 'patch' ? applyPatch(at) : applyCommits(method, at)
}

interface Applying extends ApplyParts {
  readonly row: StoredWorkspace
  readonly work: Work
  readonly history: History
  readonly target: Repository
}

async function applyCommits(method: 'merge' | 'rebase', at: Applying): Promise<Applied> {
  const { git, row, work, history, target, atStep } = at
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
  const branch = await targetBranch(at)
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
  else await fastForward(at, { checkout, branch, commit, files })
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
  const patch = await patchBytes(git, history, { from: tip, to: tree })
  const place = await checkoutPlace(git, target, { filters: row.filters === 1 })
  await refuseDirty(git, place, { files, top: target.top })
  await atStep('apply-computed')
  const apply = ['apply', '--whitespace=nowarn']
  await git.run(place, [...apply, '--check'], { input: patch }).catch((error: unknown) => {
    throw inTheWay(error, target.top)
  })
  await git.run(place, apply, { input: patch }).catch(async (error: unknown) => {
    throw await takenBack(error, { git, place, top: target.top, tip, files })
  })
  await atStep('applied')
  return { method: 'patch', branch: null, commit: null, checkout: target.top, files }
}

/** Also the name that it had before. */
function namesOf({ path: name, from }: ChangedFile): string[] {
  return from === null ? [name] : [name, from]
}

function targetOf({ source, folder }: StoredWorkspace): Repository {
  const isFar = source === null || isAddress(source)
  const found = isFar ? null : findRepository(source)
  if (found) return found
  const why = isFar ? 'it was cloned from an address' : `${source} is no git repository any more`
  throw new WorkspaceError(
    'workspace-gone',
    `there is no repository here to apply it to: ${why}. Push it yourself from ${folder}`,
  )
}

/** The branch it was begun from, or the one that is checked out where it was begun. */
async function targetBranch({ git, row, target }: Applying): Promise<string> {
  const named = row.base_ref?.replace(/^refs\/heads\//, '')
  if (named && named !== row.branch && (await isBranch(git, target, named))) return named
  const current = await branchOf(git, target)
  if (current !== null && current !== row.branch) return current
  throw new WorkspaceError(
    'branch-moved',
    `${target.top} has no branch checked out to apply it to: switch to one`,
  )
}

/** By its exact name: `main~1` leads to a commit too. */
async function isBranch(git: Git, { commonDir }: Repository, name: string): Promise<boolean> {
  const args = ['show-ref', '--verify', '-q', `refs/heads/${name}`]
  return (await git.run({ gitDir: commonDir }, args, { exits: [0, 1, 128] })).exitCode === 0
}

async function isAncestor(git: Git, place: GitPlace, older: string, newer: string): Promise<boolean> {
  const { exitCode } = await git.run(place, ['merge-base', '--is-ancestor', older, newer], { exits: [0, 1] })
  return exitCode === 0
}

/** Where a branch is checked out; null: nowhere. */
async function checkoutOf(git: Git, { commonDir }: Repository, branch: string): Promise<string | null> {
  const listed = await git.list({ gitDir: commonDir }, ['worktree', 'list', '--porcelain', '-z'])
  const at = listed.indexOf(`branch refs/heads/${branch}`)
  const place = at === -1 ? undefined : listed.slice(0, at).findLast((line) => line.startsWith('worktree '))
  return place?.slice('worktree '.length) ?? null
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

/** git's own fast-forward: uncommitted changes elsewhere stay, and where they are in the way it changes nothing. */
async function fastForward(
  { git, row }: Applying,
  {
    checkout,
    branch,
    commit,
    files,
  }: { checkout: string; branch: string; commit: string; files: readonly string[] },
): Promise<void> {
  const found = findRepository(checkout)
  if (!found || found.top !== checkout)
    throw new WorkspaceError('branch-moved', `${branch} is checked out in ${checkout}, which is not there`)
  const place = await checkoutPlace(git, found, { filters: row.filters === 1 })
  if ((await branchOf(git, found)) !== branch)
    throw new WorkspaceError('branch-moved', `${checkout} is not on ${branch} any more: nothing was changed`)
  await refuseDirty(git, place, { files, top: checkout })
  await git
    .run(place, ['merge', '--ff-only', '-q', '--no-stat', '--no-verify', commit])
    .catch((error: unknown) => {
      throw inTheWay(error, checkout)
    })
}

/**
 * git checks a patch before it writes, but a disk can be full and a folder closed. The files were those of the commit before:
 * they become that again, and where that fails too it is said which are not.
 */
async function takenBack(
  error: unknown,
  {
    git,
    place,
    top,
    tip,
    files,
  }: { git: Git; place: GitPlace; top: string; tip: string; files: readonly string[] },
): Promise<unknown> {
  if (!(error instanceof WorkspaceError)) return error
  const tracked = new Set(await git.list(place, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tip]))
  for (const name of files)
    if (!tracked.has(name)) await rm(path.join(top, name), { force: true }).catch(() => {})
  const input = files.flatMap((name) => (tracked.has(name) ? [`${name}\0`] : [])).join('')
  await git.run(place, ['checkout-index', '-f', '-z', '--stdin'], { input, exits: [0, 1, 128] })
  const left = await changedOf(git, place, files)
  const state = left.length === 0 ? 'Nothing was changed' : `Changed all the same: ${left.join(', ')}`
  const stderr = String(error.details.stderr ?? '')
  return new WorkspaceError('git-failed', `the patch could not be written to ${top}: ${stderr}. ${state}`, {
    details: { files: left, stderr, checkout: top },
    cause: error,
  })
}

/** Changes of the user's in these files, or where they are to be: also a folder in place of a file, and the other way. */
async function changedOf(git: Git, place: GitPlace, files: readonly string[]): Promise<string[]> {
  await git.run(place, ['update-index', '-q', '--ignore-submodules', '--refresh'], { exits: [0, 1] })
  const args = ['diff-index', '-z', '--name-only', '--ignore-submodules=all', 'HEAD']
  const changed = await git.list(place, args)
  const others = await git.list(place, ['ls-files', '-z', '--others'])
  const wanted = new Set(files)
  const above = new Set(files.flatMap(parentsOf))
  const names = new Set([...changed, ...others].map((name) => name.replace(/\/$/, '')))
  return [...names].filter(
    (name) => wanted.has(name) || above.has(name) || parentsOf(name).some((folder) => wanted.has(folder)),
  )
}

function parentsOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

async function refuseDirty(
  git: Git,
  place: GitPlace,
  { files, top }: { readonly files: readonly string[]; readonly top: string },
): Promise<void> {
  const dirty = await changedOf(git, place, files)
  if (dirty.length === 0) return
  throw new WorkspaceError(
    'checkout-dirty',
    `${top} has changes of yours in ${dirty.slice(0, 5).join(', ')}${dirty.length > 5 ? ' …' : ''}: commit or stash them first. Nothing was changed`,
    { details: { files: dirty, checkout: top } },
  )
}

function inTheWay(error: unknown, top: string): unknown {
  if (!(error instanceof WorkspaceError)) return error
  const said = String(error.details.stderr ?? '')
  const files = said.split('\n').flatMap((line) => (line.startsWith('\t') ? [line.trim()] : []))
  const message = `${top} has something in the way: ${said.split('\n')[0]}. Nothing was changed`
  return new WorkspaceError('checkout-dirty', message, {
    details: { files, stderr: said, checkout: top },
    cause: error,
  })
}
