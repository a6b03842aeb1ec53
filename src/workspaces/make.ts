// Makes what is on record. Each attempt first undoes what one before it, which nobody saw to its end, may have left: no task
// has worked there yet.
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { hasCode } from '../codex/index.ts'
import type { MachineFiles } from '../hosts/index.ts'
import type { StoredWorkspace } from '../store/index.ts'
import { History } from './git/history.ts'
import { checkoutPlace, findRepository, sharedPlace } from './git/repository.ts'
import type { Git, GitPlace } from './git/run-git.ts'
import { historyDir, type Places, partialOf, repositoryCopyDir, trashOf } from './places.ts'
import { commitOf, isAddress } from './plan.ts'
import { WorkspaceError } from './workspace-error.ts'

export interface MakeParts {
  readonly git: Git
  readonly places: Places
  /** Between the steps; tests end the process there. */
  readonly atStep: (name: string) => void | Promise<void>
}

export interface Made {
  readonly repository: string | null
  readonly base_commit: string | null
}

export async function make(row: StoredWorkspace, parts: MakeParts): Promise<Made> {
  if (row.state === 'making') await undo(row, parts)
  if (row.kind === 'scratch') return makeScratch(row, parts)
  return row.kind === 'clone' ? makeClone(row, parts) : makeWorktree(row, parts)
}

/** Removes what an attempt left, and what is left of a removal. Done twice, it changes nothing more. */
export async function undo(row: StoredWorkspace, { git, places, atStep }: MakeParts): Promise<void> {
  const { files } = git.machine
  const trash = trashOf(row)
  await files.remove(trash)
  await files.rename(row.folder, trash).catch(ignoreMissing)
  await atStep('moved-away')
  if (row.kind === 'worktree') await forgetWorktree(row, git)
  await atStep('forgotten')
  if (row.kind === 'worktree' && row.owns_branch === 1) await dropUnusedBranch(row, git)
  const ours = [historyDir(places, row.id), repositoryCopyDir(places, row.id)]
  await Promise.all([trash, partialOf(row), ...ours].map((place) => files.remove(place)))
}

/** In the repository it is no worktree any more. Its folder is gone already, so git has nothing to look at in it. */
export async function forgetWorktree(row: StoredWorkspace, git: Git): Promise<void> {
  // Also when the repository itself is gone, and its worktrees with it.
  const place = path.join(row.repository!, 'worktrees', path.basename(row.folder))
  if ((await git.machine.files.stat(place)) === null) return
  await git.run({ gitDir: row.repository! }, ['worktree', 'remove', '--force', '--force', row.folder])
}

/**
 * Only when there is none of this name. That it was made here is in its own log: written with it in one step, and gone with it,
 * so a branch that the user makes later is not taken for it.
 */
async function makeBranch(row: StoredWorkspace, git: Git, begin: string): Promise<void> {
  const place = { gitDir: row.repository! }
  const taken = (cause?: unknown) =>
    new WorkspaceError(
      'branch-moved',
      `there is a branch ${row.branch} by now, and it is not of this task: delete it, or start another task`,
      { cause },
    )
  if (await isThere(git, place, row.branch!)) throw taken()
  const how = ['--create-reflog', '-m', branchNote(row), `refs/heads/${row.branch}`, begin, '']
  await git.run(place, ['update-ref', ...how]).catch(async (error: unknown) => {
    throw (await isThere(git, place, row.branch!)) ? taken(error) : error
  })
}

async function isThere(git: Git, place: GitPlace, branch: string): Promise<boolean> {
  const args = ['show-ref', '--verify', '-q', `refs/heads/${branch}`]
  return (await git.run(place, args, { exits: [0, 1, 128] })).exitCode === 0
}

function branchNote({ id }: StoredWorkspace): string {
  return `drawbridge: begin ${id}`
}

/** A branch that was made for it and has no commit of its own. Deletes nothing else: the branch may be a user's by now. */
async function dropUnusedBranch(row: StoredWorkspace, git: Git): Promise<void> {
  const place = { gitDir: row.repository! }
  const ref = `refs/heads/${row.branch}`
  const log = await git
    .run(place, ['log', '-g', '-1', '--format=%H %gs', ref, '--'], { exits: [0, 128] })
    .catch(() => null)
  const begin = seedOf(row)?.head ?? row.base_commit
  if (begin === null || log?.stdout.toString('utf8').trim() !== `${begin} ${branchNote(row)}`) return
  await git.run(place, ['update-ref', '-d', ref, begin])
}

async function makeScratch(row: StoredWorkspace, { git }: MakeParts): Promise<Made> {
  await git.machine.files.mkdir(row.folder, { only: true })
  return { repository: null, base_commit: null }
}

async function makeWorktree(row: StoredWorkspace, { git, places, atStep }: MakeParts): Promise<Made> {
  const { repository, folder, branch, base_commit: base } = row
  const { files } = git.machine
  const source = await findRepository(files, row.source!)
  if (source?.commonDir !== repository)
    throw new WorkspaceError('workspace-gone', `the repository of ${row.source} is not where it was`)
  const seed = seedOf(row)
  const begin = seed?.head ?? base!
  const place = await sharedPlace(git, repository!)
  if (row.owns_branch === 1) await makeBranch(row, git, begin)
  await atStep('branch-made')
  await git.run(place, ['worktree', 'add', '-q', '--no-checkout', '--no-guess-remote', folder, branch!])
  await atStep('worktree-added')
  const gitDir = path.join(repository!, 'worktrees', path.basename(folder))
  await checkOut(git, row, gitDir)
  // In its place before commands run: what is kept unwritable has to be there.
  await files.create(path.join(gitDir, 'config.worktree'), '').catch(ignoreThere)
  await files.mkdir(path.join(repository!, 'logs', 'refs', 'heads', path.dirname(branch!)))
  await begun(row, {
    git,
    places,
    gitDir,
    commonDir: repository!,
    settingsFrom: repository!,
    base: base!,
    seed,
  })
  await atStep('history-made')
  return { repository, base_commit: base }
}

/** Not by `worktree add`: the configuration that holds on its branch and in its folder can be seen only when it has both. */
async function checkOut(git: Git, { folder, filters }: StoredWorkspace, gitDir: string): Promise<void> {
  const place = await checkoutPlace(git, { gitDir, top: folder }, { filters: filters === 1 })
  await git.run(place, ['read-tree', '-m', '-u', 'HEAD'])
}

async function makeClone(row: StoredWorkspace, { git, places, atStep }: MakeParts): Promise<Made> {
  const partial = partialOf(row)
  const { source, folder, branch, base_ref } = row
  const protocols = isAddress(source!) ? ['https', 'ssh'] : ['file']
  // Copies of the objects: a hard link to one of the source's could be written to by commands.
  const args = ['clone', '-q', '--no-checkout', '--no-hardlinks', '--template=', '--', source!, partial]
  await git.outside(args, { protocols })
  await atStep('cloned')
  const gitDir = path.join(partial, '.git')
  const base = row.base_commit ?? (await clonedCommit(git, gitDir, base_ref))
  if (base === null) throw new WorkspaceError('git-failed', `${source} has no commit ${base_ref ?? 'yet'}`)
  const seed = seedOf(row)
  if (seed) await bring(git, places, { seed, base, to: gitDir })
  const place = await checkoutPlace(git, { gitDir, top: partial }, { filters: false })
  await git.run(place, ['checkout', '-q', '--no-track', '-b', branch!, seed?.head ?? base])
  await git.machine.files.rename(partial, folder)
  await atStep('clone-named')
  const commonDir = path.join(folder, '.git')
  const from = isAddress(source!) ? null : await findRepository(git.machine.files, source!)
  const settingsFrom = from?.commonDir ?? commonDir
  await begun(row, { git, places, gitDir: commonDir, commonDir, settingsFrom, base, seed })
  await atStep('history-made')
  return { repository: commonDir, base_commit: base }
}

interface Seed {
  readonly id: string
  readonly folder: string
  readonly head: string
  readonly tree: string
}

function seedOf({ seed }: StoredWorkspace): Seed | null {
  const parsed = seed === null ? null : (JSON.parse(seed) as Partial<Seed>)
  return parsed?.head === undefined ? null : (parsed as Seed)
}

/** What the parent of a fork has and this repository has not. */
async function bring(
  git: Git,
  places: Places,
  { seed, base, to }: { seed: Seed; base: string; to: string },
): Promise<void> {
  const parent = new History(git, { dir: historyDir(places, seed.id), folder: seed.folder })
  await copyObjects(git, { from: parent.place, to: { gitDir: to }, wanted: [seed.head], known: [base] })
}

/** The history begins; a fork has its parent's files, uncommitted work included. */
async function begun(
  row: StoredWorkspace,
  { git, places, gitDir, base, seed, ...from }: Beginning,
): Promise<void> {
  const history = new History(git, { dir: historyDir(places, row.id), folder: row.folder })
  await history.make({ ...from, indexFile: path.join(gitDir, 'index'), base, filters: row.filters === 1 })
  if (!seed) return
  const parent = new History(git, { dir: historyDir(places, seed.id), folder: seed.folder })
  await copyObjects(git, { from: parent.place, to: history.place, wanted: [seed.tree], known: [seed.head] })
  await git.run(history.place, ['read-tree', '-m', '-u', seed.head, seed.tree])
  await history.keepBefore(1)
}

interface Beginning {
  readonly git: Git
  readonly places: Places
  readonly gitDir: string
  readonly commonDir: string
  readonly settingsFrom: string
  readonly base: string
  readonly seed: Seed | null
}

/** Objects that one repository has and the other has not, whole. `from` is one of ours: the pack is a file of it meanwhile. */
export async function copyObjects(
  git: Git,
  {
    from,
    to,
    wanted,
    known = [],
  }: { from: GitPlace; to: GitPlace; wanted: readonly string[]; known?: readonly string[] },
): Promise<void> {
  const input = [...wanted, ...known.map((id) => `^${id}`)].map((id) => `${id}\n`).join('')
  const pack = path.join(from.gitDir, `sent-${randomBytes(6).toString('hex')}.pack`)
  try {
    await git.run(from, ['pack-objects', '--revs', '--stdout', '-q'], { input, outputFile: pack })
    await git.run(to, ['unpack-objects', '-q'], { inputFile: pack })
  } finally {
    await git.machine.files.remove(pack)
  }
}

async function clonedCommit(git: Git, gitDir: string, ref: string | null): Promise<string | null> {
  if (ref === null) return commitOf(git, { gitDir }, 'HEAD')
  return (await commitOf(git, { gitDir }, `refs/remotes/origin/${ref}`)) ?? commitOf(git, { gitDir }, ref)
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'not-found')) throw error
}

function ignoreThere(error: unknown): void {
  if (!hasCode(error, 'exists')) throw error
}

/** The index that its own git uses; written in one step, and never over one that git writes at this moment. */
export async function replaceIndex(
  files: MachineFiles,
  { gitDir, indexFile }: { readonly gitDir: string; readonly indexFile: string },
): Promise<void> {
  const lock = path.join(gitDir, 'index.lock')
  await files.copy(indexFile, lock, { exclusive: true })
  await files.rename(lock, path.join(gitDir, 'index'))
}
