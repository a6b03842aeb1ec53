// What differs between two states of a workspace.
import type { History } from './history.ts'
import type { Git, GitResult } from './run-git.ts'

export interface ChangedFile {
  readonly path: string
  /** Its path before, when it was renamed. */
  readonly from: string | null
  /** `repository`: a repository inside of this one; only its commit is known. `ignored`: in no diff and no commit. */
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed' | 'repository' | 'ignored'
  /** Lines; null of a binary file. */
  readonly added: number | null
  readonly removed: number | null
}

export interface Patch {
  readonly text: string
  /** It was too long: only its beginning. */
  readonly isCut: boolean
}

/** Whatever the user's own configuration says of how diffs look: `git apply` has to read them. */
const PLAIN = [
  ...['--no-ext-diff', '--no-textconv', '--no-color', '--no-relative', '--src-prefix=a/', '--dst-prefix=b/'],
  ...['-U3', '--inter-hunk-context=0', '--submodule=short', '--find-renames', '--ignore-submodules=none'],
]
const WORDS: Readonly<Record<string, ChangedFile['change']>> = { A: 'added', D: 'deleted', R: 'renamed' }

export async function changedFiles(
  git: Git,
  { place }: History,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<ChangedFile[]> {
  if (from === to) return []
  const args = ['diff', '--raw', '--numstat', '-z', '--no-abbrev', ...PLAIN, from, to]
  return readChanges(await git.list(place, args))
}

/** To be shown. */
export async function patchOf(git: Git, history: History, query: PatchQuery): Promise<Patch> {
  const { stdout, isCut } = await patchRun(git, history, query)
  return { text: stdout.toString('utf8'), isCut }
}

/** All of it, as `git apply` takes it, in a file. */
export async function patchFile(
  git: Git,
  history: History,
  between: { readonly from: string; readonly to: string; readonly file: string },
): Promise<void> {
  await patchRun(git, history, between)
}

function patchRun(
  git: Git,
  { place }: History,
  { from, to, paths = [], maxBytes, file }: Omit<PatchQuery, 'maxBytes'> & PatchOutput,
): Promise<GitResult> {
  const args = ['diff', '--binary', '--full-index', ...PLAIN, from, to, '--', ...paths.map(literal)]
  return git.run(place, args, {
    ...(maxBytes !== undefined && { maxBytes }),
    ...(file && { outputFile: file }),
  })
}

interface PatchOutput {
  readonly maxBytes?: number
  readonly file?: string
}

interface PatchQuery {
  readonly from: string
  readonly to: string
  readonly paths?: readonly string[]
  readonly maxBytes: number
}

/** A name, and no pattern. */
function literal(name: string): string {
  return `:(top,literal)${name}`
}

/** First all raw records, then all of numstat, in the same order. */
function readChanges(parts: readonly string[]): ChangedFile[] {
  const raw: Omit<ChangedFile, 'added' | 'removed'>[] = []
  const lines: (readonly [number | null, number | null])[] = []
  for (let at = 0; at < parts.length; ) {
    const part = parts[at]!
    if (part.startsWith(':')) {
      const [, mode, , , status] = part.split(' ')
      const isPair = status!.startsWith('R') || status!.startsWith('C')
      const [first, second] = [parts[at + 1]!, parts[at + 2]!]
      const isRepository = mode === '160000'
      const change = isRepository ? 'repository' : (WORDS[status![0]!] ?? 'modified')
      raw.push({ path: isPair ? second : first, from: isPair ? first : null, change })
      at += isPair ? 3 : 2
    } else {
      const [added, removed, name] = part.split('\t')
      lines.push([countOf(added), countOf(removed)])
      at += name === '' ? 3 : 1
    }
  }
  return raw.map((file, at) => ({ ...file, added: lines[at]?.[0] ?? null, removed: lines[at]?.[1] ?? null }))
}

function countOf(text: string | undefined): number | null {
  return text === undefined || text === '-' ? null : Number(text)
}
