import type { OwnEvents } from '../../tasks/index.ts'
import { answerVerb, isDenied } from '../prompts/index.ts'
import { shortId } from './find-id.ts'

type ApprovalEvent = OwnEvents['drawbridge/approval']
type Answer = Parameters<typeof isDenied>[0]

/** What became of a question, and by whom. Not cut, and not made visible: that is the concern of whoever shows it. */
export function approvalLine(event: ApprovalEvent): { text: string; style: 'yellow' | 'green' | 'dim' } {
  const { approvalId, status, kind, title, why } = event
  if (status === 'pending') return { text: `? ${title} · ${shortId(approvalId)}`, style: 'yellow' }
  if (status === 'withdrawn') return { text: `↩ withdrawn: ${title}: ${why ?? ''}`, style: 'dim' }
  const answer = event.answer as Answer
  const isNo = isDenied(answer)
  const because = why ? ` (${why})` : ''
  return {
    text: `${isNo ? '✋' : '✓'} ${answerVerb(answer, kind)}: ${title} · ${byWhom(event)}${because}`,
    style: isNo ? 'yellow' : 'green',
  }
}

function byWhom({ actor, by }: ApprovalEvent): string {
  if (actor !== null) return `by ${actor}`
  return by === 'rule' ? 'by a rule' : 'nobody was there'
}
