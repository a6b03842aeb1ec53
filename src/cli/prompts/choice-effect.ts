import type { Choice } from '../../codex/index.ts'
import { visibleLine } from '../screen/index.ts'

const LASTS: Readonly<Record<Choice['lasts'], string>> = {
  now: 'this one time',
  turn: 'until this turn ends',
  thread: 'for the rest of this task',
  'for good': 'for good, in every task',
}

/** What an answer would do, and for how long. */
export function choiceEffect({ effect, lasts }: Choice): string {
  return `${visibleLine(effect)} (${LASTS[lasts]})`
}
