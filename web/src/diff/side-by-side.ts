import type { DiffLine } from './parse-diff.ts'

/** One row of two columns; null where a side has nothing. */
export interface SideRow {
  readonly left: DiffLine | null
  readonly right: DiffLine | null
}

/** Puts what replaced something beside it. */
export function sideBySide(lines: readonly DiffLine[]): SideRow[] {
  const rows: SideRow[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = () => {
    const length = Math.max(removed.length, added.length)
    for (let i = 0; i < length; i++) rows.push({ left: removed[i] ?? null, right: added[i] ?? null })
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) flush()
      removed.push(line)
    } else if (line.kind === 'added') added.push(line)
    else {
      flush()
      rows.push({ left: line, right: line })
    }
  }
  flush()
  return rows
}

export interface Marked {
  readonly before: string
  readonly changed: string
  readonly after: string
}

/** The part of a line that is not in the other one; null when they have little in common. */
export function markChange(text: string, other: string): Marked | null {
  const shortest = Math.min(text.length, other.length)
  let head = 0
  while (head < shortest && text[head] === other[head]) head++
  let tail = 0
  while (tail < shortest - head && text[text.length - 1 - tail] === other[other.length - 1 - tail]) tail++
  if (head + tail < shortest / 3) return null
  return {
    before: text.slice(0, head),
    changed: text.slice(head, text.length - tail),
    after: text.slice(text.length - tail),
  }
}
