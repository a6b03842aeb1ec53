import { CircleCheck, CircleSlash, Undo2 } from 'lucide-react'
import type { Approval } from '../api/contract.ts'
import { classNames } from '../ui/class-names.ts'
import { answeredBy, answerText, isYes } from './answer-text.ts'

/** How a question ended: who answered what, or why nobody has to any more. */
export function SettledNote({ approval }: { readonly approval: Approval }) {
  const isWithdrawn = approval.status === 'withdrawn'
  const isAllowed = !isWithdrawn && isYes(approval.answer)
  // Another client of codex answered, and codex does not tell what.
  const isCalm = isWithdrawn || approval.answer === null
  const Icon = isWithdrawn ? Undo2 : isAllowed ? CircleCheck : CircleSlash
  return (
    <p
      role="status"
      className={classNames(
        'flex items-start gap-2 rounded-lg px-3 py-2 text-sm',
        isCalm ? 'bg-calm-wash text-soft' : isAllowed ? 'bg-good-wash text-good' : 'bg-bad-wash text-bad',
      )}
    >
      <Icon size={16} className="mt-0.5 shrink-0" aria-hidden />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {isWithdrawn
          ? 'Withdrawn: no answer is needed any more'
          : `${answerText(approval.answer, approval.kind)} ${answeredBy(approval)}`}
        {approval.why && `: ${approval.why}`}
      </span>
    </p>
  )
}
