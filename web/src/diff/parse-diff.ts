// Patches as codex gives them: git's format for a turn, a hunk or a whole file for one change.

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
  readonly oldNumber: number | null
  readonly newNumber: number | null
}

interface DiffHunk {
  readonly header: string
  readonly lines: readonly DiffLine[]
}

export interface FileDiff {
  readonly path: string
  /** Where it was before, when it has moved. */
  readonly from: string | null
  readonly change: 'added' | 'deleted' | 'updated'
  readonly hunks: readonly DiffHunk[]
  readonly addedCount: number
  readonly removedCount: number
}

const HUNK = /^@@+ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/
const KINDS = { '+': 'added', '-': 'removed', ' ': 'same' } as const

/** Every file of a patch in git's format. */
export function parsePatch(patch: string): FileDiff[] {
  const sections = patch.split(/^(?=diff --git )/m).filter((section) => section.trim() !== '')
  return sections.map(parseSection)
}

interface Change {
  readonly path: string
  readonly kind: unknown
  readonly diff: string
  /** What is under it is named from there. */
  readonly cwd: string | null
}

/** One change of a `fileChange` item or question. */
export function changeDiff({ cwd, ...change }: Change): FileDiff {
  const kind = change.kind as { type?: string; move_path?: string | null } | null
  const type = kind?.type
  if (/^@@/m.test(change.diff)) {
    const moved = kind?.move_path ?? null
    const path = under(cwd, moved ?? change.path)
    return fileDiff(
      { path, from: moved === null ? null : under(cwd, change.path), change: 'updated' },
      hunksOf(change.diff.split('\n')),
    )
  }
  const isDeleted = type === 'delete'
  return fileDiff(
    {
      path: under(cwd, change.path),
      from: null,
      change: isDeleted ? 'deleted' : type === 'update' ? 'updated' : 'added',
    },
    [wholeFile(change.diff, isDeleted ? 'removed' : 'added')],
  )
}

function under(cwd: string | null, path: string): string {
  return cwd !== null && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path
}

function parseSection(section: string): FileDiff {
  const lines = section.split('\n')
  const start = lines.findIndex((line) => HUNK.test(line))
  const head = start === -1 ? lines : lines.slice(0, start)
  const named = (prefix: string) => head.find((line) => line.startsWith(prefix))?.slice(prefix.length)
  const oldPath = cleanPath(
    named('--- ') ?? named('rename from ') ?? /^diff --git a\/(.+) b\//.exec(section)?.[1],
  )
  const newPath = cleanPath(
    named('+++ ') ?? named('rename to ') ?? /^diff --git a\/.+ b\/(.+)$/m.exec(section)?.[1],
  )
  const isAdded = oldPath === null || named('new file') !== undefined
  const isDeleted = newPath === null || named('deleted file') !== undefined
  return fileDiff(
    {
      path: (isDeleted ? oldPath : newPath) ?? '(unnamed)',
      from: !isAdded && !isDeleted && oldPath !== newPath ? oldPath : null,
      change: isAdded ? 'added' : isDeleted ? 'deleted' : 'updated',
    },
    start === -1 ? [] : hunksOf(lines.slice(start)),
  )
}

/** Without git's `a/`, `b/`; null for `/dev/null`. */
function cleanPath(path: string | undefined): string | null {
  if (path === undefined || path.startsWith('/dev/null')) return null
  return path.replace(/^[ab]\//, '').replace(/\t.*$/, '')
}

function hunksOf(lines: readonly string[]): DiffHunk[] {
  const hunks: { header: string; lines: DiffLine[] }[] = []
  let oldNumber = 1
  let newNumber = 1
  for (const line of lines) {
    const found = HUNK.exec(line)
    if (found || line.startsWith('@@')) {
      oldNumber = Number(found?.[1] ?? 1)
      newNumber = Number(found?.[2] ?? 1)
      hunks.push({ header: line, lines: [] })
      continue
    }
    const kind = KINDS[line[0] as keyof typeof KINDS]
    if (kind === undefined) continue
    if (hunks.length === 0) hunks.push({ header: '', lines: [] })
    hunks.at(-1)!.lines.push({
      kind,
      text: line.slice(1),
      oldNumber: kind === 'added' ? null : oldNumber++,
      newNumber: kind === 'removed' ? null : newNumber++,
    })
  }
  return hunks
}

function wholeFile(content: string, kind: 'added' | 'removed'): DiffHunk {
  const lines = content.replace(/\n$/, '').split('\n')
  return {
    header: '',
    lines: lines.map((text, index) => ({
      kind,
      text,
      oldNumber: kind === 'removed' ? index + 1 : null,
      newNumber: kind === 'added' ? index + 1 : null,
    })),
  }
}

function fileDiff(file: Pick<FileDiff, 'path' | 'from' | 'change'>, hunks: readonly DiffHunk[]): FileDiff {
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  return { ...file, hunks, addedCount: count('added'), removedCount: count('removed') }
}

export function lineCount({ hunks }: FileDiff): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0)
}
