// What a task has done in its workspace: its files against the commit it began with, and what of that is nowhere else.
import { createHash } from 'node:crypto'
import path from 'node:path'
import { MachineError, type MachineFiles } from '../hosts/index.ts'
import type { StoredWorkspace } from '../store/index.ts'
import { besideCommits, besideFiles } from './beside-the-work.ts'
import { type ChangedFile, changedFiles } from './git/compare.ts'
import { History } from './git/history.ts'
import { findRepository } from './git/repository.ts'
import type { Git } from './git/run-git.ts'
import { historyDir, type Places } from './places.ts'
import { commitOf, isAddress } from './plan.ts'
import { WorkspaceError } from './workspace-error.ts'

const MAX_COMMITS = 200
const MAX_HEAD_BYTES = 64 * 1024

export interface InspectParts {
  readonly git: Git
  readonly places: Places
}

interface Commit {
  readonly id: string
  readonly subject: string
  readonly author: string
  readonly at: number
}

export interface Work {
  readonly base: string
  /** The newest commit of its branch. */
  readonly head: string
  /** Its files as they are. */
  readonly tree: string
  /** All of its work: from the base to the files as they are. */
  readonly files: readonly ChangedFile[]
  /** Of those, what is in no commit. */
  readonly uncommitted: readonly ChangedFile[]
  /** On its branch since the base, newest first; then those of a clone that are on other branches, or stashed. */
  readonly commits: readonly Commit[]
  /** Whether all commits are also on another branch, of the repository it came from. */
  readonly isMerged: boolean
  /** The branch that is checked out there, when that is another than its own. */
  readonly otherBranch: string | null
  /** Stands for all of this: what a person agrees to lose is what they were shown. */
  readonly seen: string
}

/** Where its commits are kept. */
export function repositoryPlace({ repository }: StoredWorkspace): { gitDir: string } {
  return { gitDir: repository! }
}

export function historyOf(row: StoredWorkspace, { git, places }: InspectParts): History {
  return new History(git, { dir: historyDir(places, row.id), folder: row.folder })
}

/** Throws `workspace-gone` when it is not there, and `not-supported`-like when it has no git. */
export async function inspect(row: StoredWorkspace, parts: InspectParts): Promise<Work> {
  await refuseMissing(row, parts)
  const { git } = parts
  const history = historyOf(row, parts)
  const head = await commitOf(git, repositoryPlace(row), `refs/heads/${row.branch}`)
  if (head === null)
    throw new WorkspaceError('workspace-gone', `the branch ${row.branch} of the workspace ${row.id} is gone`)
  const { tree, inner } = await history.state()
  const besides = await besideFiles(git, history, { folder: row.folder, inner })
  const base = row.base_commit!
  const files = await changedFiles(git, history, { from: base, to: tree })
  const others = await besideCommits(git, row, { head, base })
  const [uncommitted, ownCommits, isMergedItself] = await Promise.all([
    head === base ? files : changedFiles(git, history, { from: head, to: tree }),
    commitsBetween(git, row, { from: base, to: head }),
    isMergedElsewhere(row, head, parts),
  ])
  const seen = createHash('sha256')
    .update([head, tree, ...besides.map(({ path: name }) => name), ...others].join('\0'))
    .digest('hex')
    .slice(0, 16)
  const branch = await checkedOut(row, git.machine.files)
  const otherBranch = branch === row.branch ? null : (branch ?? 'no branch')
  const all = { files: [...files, ...besides], uncommitted: [...uncommitted, ...besides] }
  const commits = [...ownCommits, ...(await commitsNamed(git, row, others.slice(0, MAX_COMMITS)))]
  const isMerged = isMergedItself && others.length === 0
  return { base, head, tree, ...all, commits, isMerged, otherBranch, seen }
}

/** Without repositories inside of this one, which have commits of their own, and without what is ignored. */
export function ownFiles(files: readonly ChangedFile[]): readonly ChangedFile[] {
  return files.filter(({ change }) => change !== 'repository' && change !== 'ignored')
}

/** Whether anything of it would be gone with it. */
export function hasUnmerged({ uncommitted, isMerged }: Work): boolean {
  return uncommitted.length > 0 || !isMerged
}

/** A folder without git. */
export function isPlain({ kind, repository }: StoredWorkspace): boolean {
  return kind === 'scratch' || (kind === 'snapshot' && repository === null)
}

/** It has objects and branches of its own, apart from those of the repository that it came from. */
export function isOwnRepository({ kind }: StoredWorkspace): boolean {
  return kind === 'clone' || kind === 'snapshot'
}

export async function refuseMissing(row: StoredWorkspace, { git }: Pick<InspectParts, 'git'>): Promise<void> {
  const { id, state, folder } = row
  if (isPlain(row))
    throw new WorkspaceError(
      'nothing-to-do',
      `the workspace ${id} is a folder without git: look at ${folder}`,
    )
  if (state === 'planned' || state === 'making')
    throw new WorkspaceError('nothing-to-do', `the workspace ${id} is not made yet: its task has not begun`)
  if (state !== 'ready' || (await git.machine.files.stat(folder)) === null)
    throw new WorkspaceError('workspace-gone', `the workspace ${id} is gone: ${folder} was removed`)
}

async function commitsBetween(
  git: Git,
  row: StoredWorkspace,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Commit[]> {
  if (from === to) return []
  return commitsNamed(git, row, [to, `^${from}`, `--max-count=${MAX_COMMITS}`])
}

async function commitsNamed(git: Git, row: StoredWorkspace, names: readonly string[]): Promise<Commit[]> {
  if (names.length === 0) return []
  const only = names.some((name) => name.startsWith('^')) ? [] : ['--no-walk=unsorted']
  const args = ['log', '-z', '--no-show-signature', '--format=%H%n%at%n%an%n%s', ...only, ...names]
  const listed = await git.list(repositoryPlace(row), args)
  return listed.map((entry) => {
    const [id, at, author, subject = ''] = entry.split('\n')
    return { id: id!, subject, author: author!, at: Number(at) * 1000 }
  })
}

/** By its own commits, or by those that they became when they were applied. */
async function isMergedElsewhere(row: StoredWorkspace, head: string, parts: InspectParts): Promise<boolean> {
  const { git } = parts
  if (head === row.base_commit) return true
  const history = historyOf(row, parts)
  const applied =
    (await history.named('refs/applied/from')) === head ? await history.named('refs/applied/as') : null
  const target = await targetDir(row, git.machine.files)
  if (target === null) return false
  for (const id of applied === null ? [head] : [head, applied]) {
    const args = [
      'for-each-ref',
      '--count=2',
      '--format=%(refname)',
      '--contains',
      id,
      'refs/heads',
      'refs/tags',
      'refs/remotes',
    ]
    const found = await git.run({ gitDir: target }, args, { exits: [0, 1, 128, 129] })
    const others = found.stdout
      .toString('utf8')
      .split('\n')
      .filter((name) => name !== '' && name !== `refs/heads/${row.branch}`)
    if (found.exitCode === 0 && others.length > 0) return true
  }
  return false
}

/** The repository that the work goes to: the one it came from; null: that is on another machine. */
async function targetDir(
  { kind, repository, source }: StoredWorkspace,
  files: MachineFiles,
): Promise<string | null> {
  if (kind === 'worktree') return repository
  if (source === null || isAddress(source)) return null
  return (await findRepository(files, source))?.commonDir ?? null
}

/** As a file says it. Commands may have put anything there. null: no branch. */
async function checkedOut(row: StoredWorkspace, files: MachineFiles): Promise<string | null> {
  const place = path.join(checkoutDir(row), 'HEAD')
  const head = await files.read(place, { maxBytes: MAX_HEAD_BYTES }).catch((error: unknown) => {
    if (error instanceof MachineError) return ''
    throw error
  })
  return /^ref: refs\/heads\/(.+)$/m.exec(head.toString())?.[1] ?? null
}

/** Where git keeps what belongs to this checkout alone. */
export function checkoutDir({ kind, repository, folder }: StoredWorkspace): string {
  return kind === 'worktree' ? path.join(repository!, 'worktrees', path.basename(folder)) : repository!
}
