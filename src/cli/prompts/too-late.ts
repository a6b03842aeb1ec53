import type { Approval } from '../../api/index.ts'
import { visibleLine } from '../screen/index.ts'

type Settled = Pick<Approval, 'status' | 'answer' | 'by' | 'actor' | 'why'>

/** Somebody was quicker, or the question was taken back: who or why, and what it is now. */
export function tooLateText({ status, answer, by, actor, why }: Settled): string {
  const how = typeof answer === 'string' ? ` with ${answer}` : ''
  const who = actor === null ? (by === 'rule' ? ' by a rule' : '') : ` by ${actor}`
  const because = why ? `: ${why}` : ''
  return visibleLine(`too late: it was ${status}${how}${who}${because}`)
}
