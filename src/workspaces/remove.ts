// Removes a workspace. On record first, then moved away in one step: killed in between, the next start goes on with it.
import { dirname } from 'node:path'
import { hasCode } from '../codex/index.ts'
import type { StoredWorkspace } from '../store/index.ts'
import { hasUnmerged, type InspectParts, inspect, isPlain, repositoryPlace, type Work } from './inspect.ts'
import { forgetWorktree } from './make.ts'
import { historyDir, repositoryCopyDir, trashOf } from './places.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface RemoveRequest {
  /** Its name, typed by a person: also with work that is nowhere else. */
  readonly confirm?: string | undefined
  /** What the person was shown: the same, as long as nothing has changed since. */
  readonly seen?: string | undefined
  /** Also a branch with commits that are on no other. */
  readonly branch?: boolean | undefined
}

/** What would be gone with it. */
export interface Loss {
  readonly files: readonly string[]
  readonly commits: readonly { readonly id: string; readonly subject: string }[]
  readonly seen: string | null
}

export interface Removed {
  /** A branch with commits of its own that was left. */
  readonly keptBranch: string | null
}

/** What is nowhere else; null: nothing. */
export async function lossOf(
  row: StoredWorkspace,
  parts: InspectParts,
): Promise<{ loss: Loss | null; work: Work | null }> {
  if (row.state !== 'ready') return { loss: null, work: null }
  const { files } = parts.git.machine
  const root = dirname(row.folder)
  if ((await files.stat(root)) === null)
    throw new WorkspaceError('workspace-gone', `${root} is not there: is its disk mounted?`)
  if (isPlain(row)) {
    const names = (await files.list(row.folder)).map(({ name }) => name)
    return { loss: names.length === 0 ? null : { files: names, commits: [], seen: null }, work: null }
  }
  const work = await inspect(row, parts).catch(async (error: unknown) => {
    // Nothing is left in it that could be lost.
    if ((await files.stat(row.folder)) === null) return null
    throw error
  })
  if (!work || !hasUnmerged(work)) return { loss: null, work }
  const names = work.uncommitted.map(({ path }) => path)
  return { loss: { files: names, commits: work.isMerged ? [] : work.commits, seen: work.seen }, work }
}

export function refuseLoss(
  { id }: StoredWorkspace,
  loss: Loss | null,
  { confirm, seen }: RemoveRequest,
): void {
  if (loss === null || confirm === id || (seen !== undefined && seen === loss.seen)) return
  const what = [count(loss.files.length, 'file'), count(loss.commits.length, 'commit')]
    .filter(Boolean)
    .join(' and ')
  const why = seen === undefined ? '' : 'It has changed since it was shown. '
  throw new WorkspaceError(
    'workspace-unmerged',
    `${why}${id} has ${what} that are nowhere else: confirm with its name`,
    {
      details: { ...loss, workspace: id },
    },
  )
}

/** What is left of it after its row says `removing`. Done twice, it changes nothing more. */
export async function takeAway(
  row: StoredWorkspace,
  {
    head,
    parts,
  }: {
    readonly head: string | null
    readonly parts: InspectParts & { readonly atStep: (name: string) => void | Promise<void> }
  },
): Promise<void> {
  const { git, places, atStep } = parts
  const { files } = git.machine
  const trash = trashOf(row)
  await files.rename(row.folder, trash).catch((error: unknown) => {
    if (!hasCode(error, 'not-found')) throw error
  })
  await atStep('moved-away')
  if (row.kind === 'worktree') await forgetWorktree(row, git)
  await atStep('forgotten')
  if (head !== null && row.kind === 'worktree' && row.owns_branch === 1) await deleteBranch(row, head, parts)
  await atStep('branch-deleted')
  const ours = [historyDir(places, row.id), repositoryCopyDir(places, row.id)]
  await Promise.all([trash, ...ours].map((place) => files.remove(place)))
}

/** Only as it was when it was looked at. */
async function deleteBranch(row: StoredWorkspace, head: string, { git }: InspectParts): Promise<void> {
  await git.run(repositoryPlace(row), ['update-ref', '-d', `refs/heads/${row.branch}`, head], {
    exits: [0, 1, 128],
  })
}

function count(number: number, word: string): string {
  return number === 0 ? '' : `${number} ${word}${number === 1 ? '' : 's'}`
}
