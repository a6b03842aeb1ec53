// A task's answer as it is kept: whole, and, when it is long, once more as lists show it.
import type { TaskRow } from '../../store/index.ts'
import type { TaskResult } from './task.ts'

/** What lists show of an answer. */
const SHORT_CHARS = 2_000

export function resultColumns(result: TaskResult): Pick<TaskRow, 'result' | 'result_short'> {
  const isLong = result.text.length > SHORT_CHARS
  const short = { ...result, text: beginningOf(result.text), output: null, isCut: true }
  return { result: JSON.stringify(result), result_short: isLong ? JSON.stringify(short) : null }
}

export function toResult(json: string | null): TaskResult | null {
  if (json === null) return null
  const { isCut = false, ...result } = JSON.parse(json) as Omit<TaskResult, 'isCut'> & { isCut?: boolean }
  return { ...result, isCut }
}

/** Never half of a character. */
function beginningOf(text: string): string {
  const cut = text.slice(0, SHORT_CHARS)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
