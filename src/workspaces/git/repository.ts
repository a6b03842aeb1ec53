// A repository of the user's: where it is, and what its configuration would run.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Git, GitPlace } from './run-git.ts'

export interface Repository {
  /** The top of the checkout that was named. */
  readonly top: string
  /** Of that checkout. */
  readonly gitDir: string
  /** What all checkouts of the repository share: objects and branches. */
  readonly commonDir: string
  /** From the top to the folder that was named; empty for the top itself. */
  readonly prefix: string
}

/** null: the folder is in no git repository. Finds it without running git. */
export function findRepository(folder: string): Repository | null {
  const start = realpathSync(folder)
  for (let top = start; ; top = path.dirname(top)) {
    const gitDir = gitDirOf(path.join(top, '.git'))
    if (gitDir) return { top, gitDir, commonDir: commonDirOf(gitDir), prefix: path.relative(top, start) }
    if (top === path.dirname(top)) return null
  }
}

/** The checkout at its top, as git is told of it. What its configuration names is not run. */
export async function checkoutPlace(
  git: Git,
  { gitDir, top }: Pick<Repository, 'gitDir' | 'top'>,
  { filters }: { readonly filters: boolean },
): Promise<GitPlace> {
  const place = { gitDir, workTree: top }
  return { ...place, overrides: await harmless(git, place, { filters }) }
}

/** Objects and branches of the repository, without a checkout. */
export async function sharedPlace(git: Git, commonDir: string): Promise<GitPlace> {
  const place = { gitDir: commonDir }
  return { ...place, overrides: await harmless(git, place, { filters: false }) }
}

/**
 * What the repository's own configuration would run, switched off. The user's own is the user's. It can name more files, by
 * the branch and by the folder of the checkout: what is listed holds for exactly this place.
 */
async function harmless(
  git: Git,
  place: GitPlace,
  { filters }: { readonly filters: boolean },
): Promise<Record<string, string>> {
  const listed = await git.list(place, ['config', '--list', '--name-only', '--show-scope', '-z'])
  const own = new Set<string>()
  for (let at = 0; at + 1 < listed.length; at += 2)
    if (listed[at] === 'local' || listed[at] === 'worktree') own.add(listed[at + 1]!)
  return Object.fromEntries([...own].flatMap((key) => switchedOff(key, filters)))
}

function switchedOff(key: string, filters: boolean): [string, string][] {
  const filter = /^filter\.([\s\S]+)\.(clean|smudge|process|required)$/.exec(key)
  if (filter) return filters ? [] : [[key, filter[2] === 'required' ? 'false' : '']]
  // One that ends without success leaves a conflict, which is shown.
  if (/^merge\.[\s\S]+\.driver$/.test(key)) return [[key, 'false']]
  // Hooks that the configuration names, in newer versions of git.
  if (/^hook\.[\s\S]+\.command$/.test(key)) return [[key, 'true']]
  if (/^(diff\.[\s\S]+\.(command|textconv)|gpg\.([\s\S]+\.)?program)$/.test(key)) return [[key, 'false']]
  return []
}

function gitDirOf(dotGit: string): string | null {
  const facts = statSync(dotGit, { throwIfNoEntry: false })
  if (facts?.isDirectory()) return existsSync(path.join(dotGit, 'HEAD')) ? realpathSync(dotGit) : null
  if (!facts?.isFile() || facts.size > 64 * 1024) return null
  const named = /^gitdir:(.*)$/m.exec(readFileSync(dotGit, 'utf8'))?.[1]?.trim()
  const gitDir = named === undefined ? null : path.resolve(path.dirname(dotGit), named)
  return gitDir !== null && existsSync(path.join(gitDir, 'HEAD')) ? realpathSync(gitDir) : null
}

function commonDirOf(gitDir: string): string {
  const file = path.join(gitDir, 'commondir')
  if (!existsSync(file)) return gitDir
  return realpathSync(path.resolve(gitDir, readFileSync(file, 'utf8').trim()))
}
