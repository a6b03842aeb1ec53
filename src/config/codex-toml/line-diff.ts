export interface DiffLine {
  readonly sign: '-' | '+'
  readonly text: string
}

/** Beyond this the middle is told as removed and added whole. */
const MAX_CELLS = 4_000_000

/** The lines that go and come, in order, without those that stay. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const old = linesOf(before)
  const fresh = linesOf(after)
  let top = 0
  while (top < old.length && top < fresh.length && old[top] === fresh[top]) top++
  let bottom = 0
  const most = Math.min(old.length, fresh.length) - top
  while (bottom < most && old.at(-1 - bottom) === fresh.at(-1 - bottom)) bottom++
  return middleDiff(old.slice(top, old.length - bottom), fresh.slice(top, fresh.length - bottom))
}

function middleDiff(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  if (old.length * fresh.length > MAX_CELLS) return [...old.map(gone), ...fresh.map(come)]
  // lengths[i][j]: how much the rests from i and from j have in common.
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1))
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      lengths[i]![j] =
        old[i] === fresh[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      i++
      j++
    } else if (j === fresh.length || (i < old.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      lines.push(gone(old[i++]!))
    else lines.push(come(fresh[j++]!))
  }
  return lines
}

const gone = (text: string): DiffLine => ({ sign: '-', text })
const come = (text: string): DiffLine => ({ sign: '+', text })

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
