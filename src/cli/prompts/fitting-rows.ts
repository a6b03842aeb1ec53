import { type Line, screenRows } from '../screen/index.ts'
import type { Room } from './prompt.ts'

/** The lines as rows of the screen, and how many are missing. When some are, a row is left to say so. */
export function fittingRows(
  lines: readonly Line[],
  { columns, rows }: Room,
): { readonly shown: readonly Line[]; readonly cut: number } {
  const all = lines.flatMap(({ text, style }) =>
    screenRows(text, columns).map((row) => ({ text: row, style })),
  )
  return all.length <= rows
    ? { shown: all, cut: 0 }
    : { shown: all.slice(0, rows - 1), cut: all.length - rows + 1 }
}
