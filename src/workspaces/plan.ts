// A workspace that was asked for, checked and put on record. Nothing is made here.
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { type Db, insertWorkspace, type StoredWorkspace } from '../store/index.ts'
import { type PlannedWorkspace, TaskError, type WorkspaceRequest } from '../tasks/index.ts'
import { findRepository, type Repository } from './git/repository.ts'
import type { Git } from './git/run-git.ts'
import type { Places } from './places.ts'

export interface PlanParts {
  readonly git: Git
  readonly places: Places
  readonly now: () => number
  /** The worker whose machine this is; null on SQLite. */
  readonly workerId: string | null
  /** Whether a person trusts the repository of a folder. */
  readonly isTrusted: (folder: string) => boolean
}

type Row = Omit<StoredWorkspace, 'task_id'>

/** One workspace, which may be one of several that a task gets. */
export interface Planned extends PlannedWorkspace {
  readonly row: Row
  /** `partOf`: the first of them. */
  record(db: Db, task: { readonly id: string }, of?: { readonly partOf: string }): Promise<void>
}

export async function plan(
  request: WorkspaceRequest,
  { cwd }: { readonly cwd: string },
  parts: PlanParts,
): Promise<Planned> {
  refuseStray(request, parts.git.machine.host)
  if (request.kind !== 'scratch') await parts.git.requireVersion()
  if (request.kind === 'worktree') return planWorktree(request, cwd, parts)
  if (request.kind === 'clone') return planClone(request, parts)
  if (request.kind === 'scratch') {
    const row = newRow('scratch', { ...parts, name: 'scratch' })
    return planned({ ...row, keep: request.keep ? 1 : 0 }, '')
  }
  throw bad('a folder of the user is not made')
}

async function planWorktree(
  { branch, from, commits = false }: WorkspaceRequest,
  cwd: string,
  parts: PlanParts,
): Promise<Planned> {
  const { git } = parts
  const repository = await repositoryOf(git, cwd)
  const row = newRow('worktree', { ...parts, name: path.basename(repository.top) })
  if (commits && branch !== undefined)
    throw bad('where codex may commit, its branch is in a folder of its own: leave the branch out')
  const named = branch ?? `drawbridge/${row.id}${commits ? '/work' : ''}`
  if (branch !== undefined) await checkBranchName(git, named)
  const tip = branch === undefined ? null : await commitOf(git, repository, `refs/heads/${named}`)
  if (tip !== null && from !== undefined)
    throw bad(`the branch ${named} exists: leave out what to begin it from, or choose another name`)
  if (tip !== null) await refuseCheckedOut(git, repository.commonDir, named)
  const base = tip ?? (await commitOf(git, repository, from ?? 'HEAD'))
  if (base === null)
    throw bad(
      from === undefined
        ? `${repository.top} has no commit yet: make one first`
        : `${repository.top} has no commit ${from}`,
    )
  return planned(
    {
      ...row,
      ...{
        source: repository.top,
        repository: repository.commonDir,
        branch: named,
        owns_branch: tip === null ? 1 : 0,
      },
      ...{ base_ref: from ?? (await branchOf(git, repository)), base_commit: base },
      filters: parts.isTrusted(repository.top) ? 1 : 0,
    },
    repository.prefix,
    commits,
  )
}

async function planClone({ source, from, branch }: WorkspaceRequest, parts: PlanParts): Promise<Planned> {
  if (source === undefined) throw bad('a clone needs a source: the path or the address of a repository')
  if (branch !== undefined) throw bad('a clone has a branch of its own: leave `branch` out')
  const { git } = parts
  if (isAddress(source)) {
    refusePassword(source)
    const row = newRow('clone', { ...parts, name: nameOf(source) })
    return planned({ ...row, source, branch: `drawbridge/${row.id}`, base_ref: from ?? null }, '')
  }
  if (!path.isAbsolute(source))
    throw bad(`name the repository to clone from / on, or by its address, not ${source}`)
  const repository = await repositoryOf(git, source)
  const base = await commitOf(git, repository, from ?? 'HEAD')
  if (base === null) throw bad(`${repository.top} has no commit ${from ?? 'yet'}`)
  const row = newRow('clone', { ...parts, name: path.basename(repository.top) })
  const base_ref = from ?? (await branchOf(git, repository))
  const made = { source: repository.top, branch: `drawbridge/${row.id}`, base_ref, base_commit: base }
  return planned({ ...row, ...made }, '')
}

export function refuseForkOf({ kind }: StoredWorkspace): void {
  if (kind === 'snapshot')
    throw new TaskError(
      'not-supported',
      'a task in a restored workspace is not forked: take a snapshot of it, and restore that',
    )
}

/** Of a fork: the same kind of workspace. `seed`: the commit that it begins with, and the tree that it then has. */
export function planFork(
  from: StoredWorkspace,
  seed: { readonly head: string; readonly tree: string } | null,
  { prefix, commits, ...parts }: PlanParts & { readonly prefix: string; readonly commits: boolean },
): Planned {
  const row = newRow(from.kind, { ...parts, name: from.id.replace(/-[0-9a-f]{6}$/, '') })
  const { source, base_ref, base_commit, filters, keep } = from
  return planned(
    {
      ...row,
      ...{ source, base_ref, base_commit, filters, keep },
      repository: from.kind === 'worktree' ? from.repository : null,
      branch: from.branch === null ? null : `drawbridge/${row.id}${commits ? '/work' : ''}`,
      owns_branch: from.kind === 'worktree' ? 1 : 0,
      seed: JSON.stringify({ id: from.id, folder: from.folder, ...seed }),
    },
    prefix,
    commits,
  )
}

function planned(row: Row, prefix: string, commits = false): Planned {
  const { id, kind, source, branch, base_ref, base_commit, keep } = row
  return {
    cwd: path.join(row.folder, prefix),
    workspace: {
      ...{ kind: kind as 'worktree', id, source, branch },
      ...{ from: base_ref, base: base_commit, keep: keep === 1, commitsTo: commits ? row.repository : null },
      parts: [],
    },
    row,
    record: (db, task, of) => insertWorkspace(db, { ...row, task_id: task.id, part_of: of?.partOf ?? null }),
  }
}

function newRow(
  kind: string,
  { places, git, now, workerId, name }: PlanParts & { readonly name: string },
): Row {
  const slug =
    name
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[.-]+|\.git$/g, '')
      .slice(0, 40) || kind
  const id = `${slug}-${randomBytes(3).toString('hex')}`
  return {
    ...{ id, part_of: null, worker_id: workerId, kind, state: 'planned', folder: path.join(places.root, id) },
    host: git.machine.host,
    ...{ source: null, repository: null, branch: null, owns_branch: 0, base_ref: null, base_commit: null },
    ...{ seed: null, filters: 0, keep: 0, problem: null, created_at: now(), made_at: null, removed_at: null },
  }
}

async function repositoryOf({ machine }: Git, folder: string): Promise<Repository> {
  const { files, host } = machine
  const isFolder = (await files.stat(folder))?.kind === 'folder'
  const found = isFolder ? await findRepository(files, folder) : null
  const where = host === null ? '' : ` on ${host}`
  if (!found)
    throw bad(
      `${folder} is in no git repository${where}: work in the folder itself, or in an empty one (scratch)`,
    )
  return found
}

export async function commitOf(
  git: Git,
  { gitDir }: Pick<Repository, 'gitDir'>,
  name: string,
): Promise<string | null> {
  const args = ['rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`]
  const found = await git.run({ gitDir }, args, { exits: [0, 1, 128] })
  return found.exitCode === 0 ? found.stdout.toString('utf8').trim() : null
}

/** The branch that is checked out; null: none is. */
export async function branchOf(git: Git, { gitDir }: Pick<Repository, 'gitDir'>): Promise<string | null> {
  const found = await git.run({ gitDir }, ['symbolic-ref', '-q', '--short', 'HEAD'], { exits: [0, 1] })
  return found.exitCode === 0 ? found.stdout.toString('utf8').trim() : null
}

async function checkBranchName(git: Git, name: string): Promise<void> {
  const { exitCode } = await git.outside(['check-ref-format', '--branch', name], { exits: [0, 1, 128] })
  if (exitCode !== 0 || name.startsWith('-') || name.includes('@{'))
    throw bad(`${name} is no name for a branch`)
}

async function refuseCheckedOut(git: Git, gitDir: string, branch: string): Promise<void> {
  const listed = await git.list({ gitDir }, ['worktree', 'list', '--porcelain', '-z'])
  const at = listed.indexOf(`branch refs/heads/${branch}`)
  if (at === -1) return
  const place = listed.slice(0, at).findLast((line) => line.startsWith('worktree '))
  throw bad(`the branch ${branch} is checked out in ${place?.slice('worktree '.length)}: choose another`)
}

function refuseStray(
  { kind, branch, from, source, keep, commits }: WorkspaceRequest,
  host: string | null,
): void {
  if (source !== undefined && kind !== 'clone')
    throw bad(`a ${kind} has no source: it is made from the folder of the task`)
  if (from !== undefined && kind !== 'clone' && kind !== 'worktree')
    throw bad(`a ${kind} begins with no commit`)
  if (branch !== undefined && kind === 'scratch') throw bad('scratch is an empty folder, without branches')
  if (commits && host !== null)
    throw bad(`on ${host} commits are made by people: leave out that codex may commit, and use task commit`)
  if (commits && kind !== 'worktree')
    throw bad(`codex commits by itself only in a worktree, not in a ${kind}`)
  if (keep !== undefined && kind !== 'scratch')
    throw bad(`a ${kind} always stays until it is removed: keep is for scratch`)
}

/** `user@host:path` too, as git reads it. */
export function isAddress(source: string): boolean {
  return /^[a-z][a-z+]*:\/\//i.test(source) || /^[^/\\]+@?[^/\\]*:(?![\\])/.test(source)
}

/** git would write it into the clone, where commands read it. */
function refusePassword(source: string): void {
  if (/^[^/]*::/.test(source))
    throw bad(`${source.split('::', 1)[0]}:: is no way to clone: use https:// or ssh://`)
  if (!/^(https|ssh):\/\//i.test(source) && /^[a-z][a-z+]*:\/\//i.test(source))
    throw bad(`${source.split('://', 1)[0]}:// is no way to clone: use https:// or ssh://`)
  if (/^-/.test(source)) throw bad('an address does not begin with -')
  if (/^https?:\/\/[^/]*@/i.test(source) || /^[a-z]+:\/\/[^/]*:[^/]*@/i.test(source))
    throw bad('an address with a login in it is not taken: use a credential helper of git, or ssh')
}

function nameOf(source: string): string {
  return (
    source
      .replace(/[/:]+$/, '')
      .split(/[/:]/)
      .at(-1) ?? 'clone'
  )
}

function bad(message: string): TaskError {
  return new TaskError('bad-request', message)
}
