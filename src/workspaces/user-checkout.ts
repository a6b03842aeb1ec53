// What an apply does in a checkout of the user's: all of it or nothing, and never over changes of theirs.
import path from 'node:path'
import type { StoredWorkspace } from '../store/index.ts'
import { checkoutPlace, findRepository, type Repository } from './git/repository.ts'
import type { Git, GitPlace } from './git/run-git.ts'
import { branchOf } from './plan.ts'
import { WorkspaceError } from './workspace-error.ts'

/** Where a branch is checked out; null: nowhere. */
export async function checkoutOf(
  git: Git,
  { commonDir }: Repository,
  branch: string,
): Promise<string | null> {
  const listed = await git.list({ gitDir: commonDir }, ['worktree', 'list', '--porcelain', '-z'])
  const at = listed.indexOf(`branch refs/heads/${branch}`)
  const place = at === -1 ? undefined : listed.slice(0, at).findLast((line) => line.startsWith('worktree '))
  return place?.slice('worktree '.length) ?? null
}

interface FastForward {
  readonly checkout: string
  readonly branch: string
  readonly commit: string
  readonly files: readonly string[]
}

/** git's own fast-forward: uncommitted changes elsewhere stay, and where they are in the way it changes nothing. */
export async function fastForward(
  git: Git,
  { filters }: StoredWorkspace,
  { checkout, branch, commit, files }: FastForward,
): Promise<void> {
  const found = await findRepository(git.machine.files, checkout)
  if (!found || found.top !== checkout)
    throw new WorkspaceError('branch-moved', `${branch} is checked out in ${checkout}, which is not there`)
  const place = await checkoutPlace(git, found, { filters: filters === 1 })
  if ((await branchOf(git, found)) !== branch)
    throw new WorkspaceError('branch-moved', `${checkout} is not on ${branch} any more: nothing was changed`)
  await refuseDirty(git, place, { files, top: checkout })
  await git
    .run(place, ['merge', '--ff-only', '-q', '--no-stat', '--no-verify', commit])
    .catch((error: unknown) => {
      throw inTheWay(error, checkout)
    })
}

interface WrittenPatch {
  readonly git: Git
  readonly place: GitPlace
  readonly top: string
  readonly tip: string
  readonly files: readonly string[]
}

/**
 * git checks a patch before it writes, but a disk can be full and a folder closed. The files were those of the commit before:
 * they become that again, and where that fails too it is said which are not.
 */
export async function takenBack(
  error: unknown,
  { git, place, top, tip, files }: WrittenPatch,
): Promise<unknown> {
  if (!(error instanceof WorkspaceError)) return error
  const tracked = new Set(await git.list(place, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tip]))
  for (const name of files)
    if (!tracked.has(name)) await removeFile(git, path.join(top, name)).catch(() => {})
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

/** Never a folder. */
async function removeFile({ machine }: Git, place: string): Promise<void> {
  const facts = await machine.files.lstat(place)
  if (facts !== null && facts.kind !== 'folder') await machine.files.remove(place)
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

export async function refuseDirty(
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

export function inTheWay(error: unknown, top: string): unknown {
  if (!(error instanceof WorkspaceError)) return error
  const said = String(error.details.stderr ?? '')
  const files = said.split('\n').flatMap((line) => (line.startsWith('\t') ? [line.trim()] : []))
  const message = `${top} has something in the way: ${said.split('\n')[0]}. Nothing was changed`
  return new WorkspaceError('checkout-dirty', message, {
    details: { files, stderr: said, checkout: top },
    cause: error,
  })
}
