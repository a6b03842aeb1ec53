import type { Task } from '../../api/index.ts'
import { cutToColumns, visible } from '../screen/index.ts'

const MAX_LINES = 10
const MAX_COLUMNS = 400

/** The beginning of a prompt, with a word on what is missing; nothing where the title is all of it. */
export function promptLines({ prompt, title }: Pick<Task, 'prompt' | 'title'>): string[] {
  const all = prompt.trim().split('\n')
  if (prompt.trim() === title) return []
  const shown = all
    .slice(0, MAX_LINES)
    .map((line) => `  ${cutToColumns(visible(line.trimEnd()), MAX_COLUMNS)}`)
  const missing = all.length - shown.length
  return missing > 0
    ? [...shown, `  … ${missing} more ${missing === 1 ? 'line' : 'lines'}: --json has all`]
    : shown
}
