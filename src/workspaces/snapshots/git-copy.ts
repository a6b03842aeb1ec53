// The repository of a worktree is in the user's repository. A snapshot has one of its own instead: the branch with the commits of
// the work, from the commit that it began with on, as in a shallow clone. It is kept beside the workspace and only grows, so that
// the next snapshot costs what is new.
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { StoredWorkspace } from '../../store/index.ts'
import type { Git, GitPlace } from '../git/run-git.ts'
import { repositoryPlace } from '../inspect.ts'
import { commitOf } from '../plan.ts'

export interface CopyParts {
  readonly git: Git
  /** Where it is kept. */
  readonly dir: string
}

/** Where it is, for a worktree that is there. */
export async function copyRepository(row: StoredWorkspace, { git, dir: top }: CopyParts): Promise<string> {
  const dir = path.join(top, 'repository')
  const from = repositoryPlace(row)
  const base = row.base_commit!
  const head = (await commitOf(git, from, `refs/heads/${row.branch}`)) ?? base
  if (!existsSync(path.join(dir, 'HEAD'))) await begin(row, { git, dir: top })
  const known = readIfThere(path.join(top, 'copied'))
  if (known !== head) {
    const news = known === null ? [base, head] : [head, `^${known}`]
    const input = [`--shallow ${base}`, ...news].map((line) => `${line}\n`).join('')
    await git.run(from, ['pack-objects', '--revs', '-q', path.join(dir, 'objects', 'pack', 'pack')], {
      input,
    })
    await writeFile(path.join(top, 'copied'), head)
  }
  const ref = path.join(dir, 'refs', 'heads', row.branch!)
  await mkdir(path.dirname(ref), { recursive: true })
  await writeFile(ref, `${head}\n`)
  await rm(path.join(dir, 'index'), { force: true })
  const place: GitPlace = { gitDir: dir, indexFile: path.join(dir, 'index') }
  await git.run(place, ['read-tree', head])
  return dir
}

async function begin(row: StoredWorkspace, { git, dir: top }: CopyParts): Promise<void> {
  // What an attempt before this one has left.
  await rm(top, { recursive: true, force: true })
  const dir = path.join(top, 'repository')
  for (const folder of ['objects/pack', 'objects/info', 'refs/heads', 'refs/tags', 'info'])
    await mkdir(path.join(dir, folder), { recursive: true, mode: 0o700 })
  const format = await git.text(repositoryPlace(row), ['rev-parse', '--show-object-format'])
  const extra = format === 'sha1' ? '' : `[extensions]\n\tobjectformat = ${format}\n`
  const settings = `[core]\n\trepositoryformatversion = ${extra === '' ? 0 : 1}\n\tbare = false\n\tlogallrefupdates = true\n`
  await writeFile(path.join(dir, 'config'), settings + extra)
  await writeFile(path.join(dir, 'shallow'), `${row.base_commit}\n`)
  // Last: with it, this is a repository.
  await writeFile(path.join(dir, 'HEAD'), `ref: refs/heads/${row.branch}\n`)
}

function readIfThere(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}
