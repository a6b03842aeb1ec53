// Commits what a task has done, when somebody asks for it. The commit is made in the history first; one update of the branch
// then makes it the workspace's.
import path from 'node:path'
import { hasCode } from '../codex/index.ts'
import type { MachineFiles } from '../hosts/index.ts'
import type { StoredWorkspace } from '../store/index.ts'
import {
  checkoutDir,
  historyOf,
  type InspectParts,
  inspect,
  ownFiles,
  repositoryPlace,
  type Work,
} from './inspect.ts'
import { copyObjects, replaceIndex } from './make.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface CommitRequest {
  readonly message: string
  /** Only these; default: all that is uncommitted. */
  readonly files?: readonly string[] | undefined
  /** Refused when the work is not as it was shown. */
  readonly seen?: string | undefined
}

/** The id of the commit. */
export async function commitWork(
  row: StoredWorkspace,
  { message, files, seen }: CommitRequest,
  parts: InspectParts & { readonly atStep: (name: string) => void | Promise<void> },
): Promise<string> {
  const { git } = parts
  const work = await inspect(row, parts)
  refuseChanged(work, seen)
  refuseOtherBranch(row, work)
  const chosen = chosenFiles(work, files)
  const history = historyOf(row, parts)
  const tree = files === undefined ? work.tree : await treeWith(chosen, { row, work, parts })
  const args = ['commit-tree', tree, '-p', work.head, '-F', '-']
  const commit = await git.text(history.place, args, { input: message }).catch((error: unknown) => {
    throw withoutName(error)
  })
  await parts.atStep('commit-made')
  const shared = repositoryPlace(row)
  await refuseStrangeLog(row, git.machine.files)
  await copyObjects(git, { from: history.place, to: shared, wanted: [commit], known: [work.head] })
  await parts.atStep('commit-copied')
  const update = ['update-ref', '-m', 'drawbridge: commit', `refs/heads/${row.branch}`, commit, work.head]
  await git.run(shared, update)
  await parts.atStep('branch-moved')
  await refreshIndex(row, commit, parts)
  return commit
}

/** With `--let-commit` commands may write where the log of the branch is: git would follow a link there. */
async function refuseStrangeLog({ repository, branch }: StoredWorkspace, files: MachineFiles): Promise<void> {
  const names = `logs/refs/heads/${branch}`.split('/')
  const places = names.map((_, at) => path.join(repository!, ...names.slice(0, at + 1)))
  const found = await Promise.all(places.map((place) => files.lstat(place)))
  for (const [at, place] of places.entries()) {
    const facts = found[at]
    if (!facts) return
    if (at < names.length - 1 ? facts.kind === 'folder' : facts.kind === 'file' && facts.links === 1) continue
    throw new WorkspaceError('git-failed', `${place} is not what git makes there: look at it, and remove it`)
  }
}

/** git in the workspace sees what is committed. Should it write its own at this moment, that one stands. */
async function refreshIndex(row: StoredWorkspace, commit: string, parts: InspectParts): Promise<void> {
  const history = historyOf(row, parts)
  const indexFile = path.join(history.dir, 'index.committed')
  const { files } = parts.git.machine
  await files.copy(path.join(history.dir, 'index'), indexFile)
  await parts.git.run({ ...history.place, indexFile }, ['read-tree', '-m', commit])
  await replaceIndex(files, { gitDir: checkoutDir(row), indexFile }).catch((error: unknown) => {
    if (!hasCode(error, 'exists')) throw error
  })
  await files.remove(indexFile)
}

function chosenFiles(work: Work, files: readonly string[] | undefined): readonly string[] {
  const known = new Set(
    ownFiles(work.uncommitted).flatMap(({ path: name, from }) => (from === null ? [name] : [name, from])),
  )
  if (known.size === 0) throw new WorkspaceError('nothing-to-do', 'there is nothing to commit: everything is')
  if (files === undefined) return [...known]
  const unknown = files.find((name) => !known.has(name))
  if (unknown !== undefined) throw new WorkspaceError('nothing-to-do', `${unknown} has no uncommitted change`)
  const before = work.uncommitted.flatMap(({ path: name, from }) =>
    from !== null && files.includes(name) ? [from] : [],
  )
  return [...new Set([...files, ...before])]
}

/** The last commit with only these files as they are now. */
async function treeWith(
  names: readonly string[],
  { row, work, parts }: { row: StoredWorkspace; work: Work; parts: InspectParts },
): Promise<string> {
  const { git } = parts
  const history = historyOf(row, parts)
  const place = { ...history.place, indexFile: path.join(history.dir, 'index.chosen') }
  await git.run(place, ['read-tree', work.head])
  const listed = await git.list(history.place, ['ls-tree', '-r', '-z', '--full-tree', work.tree])
  const now = new Map(
    listed.map((entry) => [entry.slice(entry.indexOf('\t') + 1), entry.split(/[ \t]/)] as const),
  )
  const lines = names.map((name) => {
    const [mode, , id] = now.get(name) ?? ['0', '', '0'.repeat(work.head.length)]
    return `${mode} ${id}\t${name}\0`
  })
  await git.run(place, ['update-index', '-z', '--index-info'], { input: lines.join('') })
  const tree = await git.text(place, ['write-tree'])
  await git.machine.files.remove(place.indexFile)
  return tree
}

export function refuseChanged(work: Work, seen: string | undefined): void {
  if (seen === undefined || seen === work.seen) return
  throw new WorkspaceError(
    'workspace-unmerged',
    'the work has changed since it was shown: look at it again',
    {
      details: { seen: work.seen },
    },
  )
}

export function refuseOtherBranch({ branch, folder }: StoredWorkspace, { otherBranch }: Work): void {
  if (otherBranch === null) return
  throw new WorkspaceError(
    'branch-moved',
    `${folder} is on ${otherBranch}, not on ${branch}: switch back first (git switch ${branch})`,
  )
}

/** git does not know whose commit it is. */
function withoutName(error: unknown): unknown {
  if (!(error instanceof WorkspaceError) || !/user\.(name|email)|ident/i.test(String(error.details.stderr)))
    return error
  return new WorkspaceError(
    'git-failed',
    'git does not know your name: set it with git config --global user.name and user.email',
    { details: error.details, cause: error },
  )
}
