// What is in a workspace beside its files and its branch, and would be lost with it all the same.
import path from 'node:path'
import type { MachineFiles } from '../hosts/index.ts'
import type { StoredWorkspace } from '../store/index.ts'
import type { ChangedFile } from './git/compare.ts'
import type { History } from './git/history.ts'
import { findRepository } from './git/repository.ts'
import type { Git } from './git/run-git.ts'
import { isAddress } from './plan.ts'

/** Made again from what is in the repository by one command. Not `build` or `dist`, where people keep other things too. */
const MADE_AGAIN =
  /(^|\/)(node_modules|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.turbo|\.venv|\.DS_Store)\/?$/

/** Ignored files, by their folder where all of it is ignored, and repositories: those in `inner`, and submodules. */
export async function besideFiles(
  git: Git,
  { place }: History,
  { folder, inner }: { readonly folder: string; readonly inner: readonly string[] },
): Promise<ChangedFile[]> {
  const look = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
  const ignored = (await git.list(place, look)).filter((name) => !MADE_AGAIN.test(name))
  const index = await git.list(place, ['ls-files', '-z', '--stage'])
  const { files } = git.machine
  const links = index.flatMap((entry) =>
    entry.startsWith('160000 ') ? [entry.slice(entry.indexOf('\t') + 1)] : [],
  )
  const submodules = await filtered(links, (name) => hasContent(files, path.join(folder, name)))
  const ownGit = async (name: string) => (await files.stat(path.join(folder, name, '.git'))) !== null
  // A file has nothing inside.
  const ignoredRepositories = await filtered(
    ignored.filter((name) => name.endsWith('/')),
    ownGit,
  )
  const repositories = [...inner, ...submodules.map((name) => `${name}/`), ...ignoredRepositories]
  return [
    ...[...new Set(repositories)].map((name) => beside(name, 'repository')),
    ...ignored.filter((name) => !ignoredRepositories.includes(name)).map((name) => beside(name, 'ignored')),
  ]
}

async function filtered(names: readonly string[], is: (name: string) => Promise<boolean>): Promise<string[]> {
  const answers = await Promise.all(names.map(is))
  return names.filter((_, at) => answers[at])
}

function beside(name: string, change: 'repository' | 'ignored'): ChangedFile {
  return { path: name, from: null, change, added: null, removed: null }
}

async function hasContent(files: MachineFiles, folder: string): Promise<boolean> {
  return (await files.lstat(folder))?.kind === 'folder' && (await files.list(folder)).length > 0
}

/** Of a clone: commits that are not on its branch, on no branch where it came from, and that a name or a log still leads to. */
export async function besideCommits(
  git: Git,
  { kind, repository, source }: StoredWorkspace,
  { head, base }: { readonly head: string; readonly base: string },
): Promise<string[]> {
  if (kind !== 'clone' && kind !== 'snapshot') return []
  const all = ['rev-list', '--all', '--reflog', `^${head}`, `^${base}`]
  const from = source === null || isAddress(source) ? null : await findRepository(git.machine.files, source)
  const found = await git.text({ gitDir: repository! }, from ? all : [...all, '--not', '--remotes'])
  const ids = found.split('\n').filter(Boolean)
  if (!from || ids.length === 0) return ids
  const place = { gitDir: from.commonDir }
  const input = ids.map((id) => `${id}\n`).join('')
  const checked = (await git.text(place, ['cat-file', '--batch-check'], { input })).split('\n')
  const there = ids.filter((_, at) => !checked[at]!.endsWith(' missing'))
  if (there.length === 0) return ids
  const unnamed = await git.text(place, ['rev-list', '--stdin', '--not', '--all'], {
    input: there.map((id) => `${id}\n`).join(''),
  })
  const lost = new Set(unnamed.split('\n'))
  return ids.filter((id) => !there.includes(id) || lost.has(id))
}
