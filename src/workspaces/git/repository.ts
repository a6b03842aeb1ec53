// A repository of the user's: where it is, and what its configuration would run.
import path from 'node:path'
import { hasCode } from '../../codex/index.ts'
import type { MachineFiles } from '../../hosts/index.ts'
import type { Git, GitPlace } from './run-git.ts'

/** Of files that only name a folder. */
const MAX_NAME_BYTES = 64 * 1024

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
export async function findRepository(files: MachineFiles, folder: string): Promise<Repository | null> {
  const start = await files.realPath(folder)
  if (start === null) return null
  for (let top = start; ; top = path.dirname(top)) {
    const gitDir = await gitDirOf(files, path.join(top, '.git'))
    if (gitDir !== null) {
      const commonDir = await commonDirOf(files, gitDir)
      return { top, gitDir, commonDir, prefix: path.relative(top, start) }
    }
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

async function gitDirOf(files: MachineFiles, dotGit: string): Promise<string | null> {
  const facts = await files.stat(dotGit)
  if (facts?.kind === 'folder') return realGitDir(files, dotGit)
  if (facts?.kind !== 'file' || facts.bytes > MAX_NAME_BYTES) return null
  const text = await shortText(files, dotGit)
  const named = /^gitdir:(.*)$/m.exec(text)?.[1]?.trim()
  return named === undefined ? null : realGitDir(files, path.resolve(path.dirname(dotGit), named))
}

async function realGitDir(files: MachineFiles, place: string): Promise<string | null> {
  return (await files.stat(path.join(place, 'HEAD'))) === null ? null : files.realPath(place)
}

async function commonDirOf(files: MachineFiles, gitDir: string): Promise<string> {
  const named = await shortText(files, path.join(gitDir, 'commondir'))
  if (named === '') return gitDir
  return (await files.realPath(path.resolve(gitDir, named.trim()))) ?? gitDir
}

/** Empty when there is none. */
async function shortText(files: MachineFiles, place: string): Promise<string> {
  const bytes = await files
    .read(place, { maxBytes: MAX_NAME_BYTES, follow: true })
    .catch((error: unknown) => {
      if (hasCode(error, 'not-found')) return ''
      throw error
    })
  return bytes.toString()
}
