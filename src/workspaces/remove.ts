// Removes a workspace. On record first, then moved away in one step: killed in between, the next start goes on with it.
import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { StoredWorkspace } from '../store/index.ts'
import { hasUnmerged, type InspectParts, inspect, repositoryPlace, type Work } from './inspect.ts'
import { forgetWorktree } from './make.ts'
import { historyDir, trashOf } from './places.ts'
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
  const root = dirname(row.folder)
  if (!existsSync(root))
    throw new WorkspaceError('workspace-gone', `${root} is not there: is its disk mounted?`)
  if (row.kind === 'scratch') {
    const files = await readdir(row.folder).catch(() => [])
    return { loss: files.length === 0 ? null : { files, commits: [], seen: null }, work: null }
  }
  const work = await inspect(row, parts).catch((error: unknown) => {
    // Nothing is left in it that could be lost.
    if (!existsSync(row.folder)) return null
    throw error
  })
  if (!work || !hasUnmerged(work)) return { loss: null, work }
  const files = work.uncommitted.map(({ path }) => path)
  return { loss: { files, commits: work.isMerged ? [] : work.commits, seen: work.seen }, work }
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
  const trash = trashOf(row)
  await rename(row.folder, trash).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await atStep('moved-away')
  if (row.kind === 'worktree') await forgetWorktree(row, git)
  await atStep('forgotten')
  if (head !== null && row.kind === 'worktree' && row.owns_branch === 1) await deleteBranch(row, head, parts)
  await atStep('branch-deleted')
  await rm(trash, { recursive: true, force: true })
  await rm(historyDir(places, row.id), { recursive: true, force: true })
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
