import { CircleCheck, CircleSlash, Undo2 } from 'lucide-react'
import { useContext } from 'react'
import { visible } from '../../../../src/util/visible-text.ts'
import { useTask } from '../../api/queries.ts'
import { answeredBy, answerText, isYes } from '../../inbox/answer-text.ts'
import { QuestionCard } from '../../inbox/question-card.tsx'
import type { AskedRow } from '../../transcript/row.ts'
import { classNames } from '../../ui/class-names.ts'
import { ViewContext } from '../verbosity.ts'

/** A question where it was asked: to be answered here too, or how it ended. */
export function AskedView({ row }: { readonly row: AskedRow }) {
  const { taskId } = useContext(ViewContext)
  const { data } = useTask(taskId)
  const approval = data?.approvals.find(({ id }) => id === row.approvalId)
  if (row.status === 'pending' && approval?.status === 'pending')
    return <QuestionCard approval={approval} isInTask />
  if (row.status === 'pending')
    return <p className="text-[13px] text-wait">Codex asks: {visible(row.title)}</p>
  const isWithdrawn = row.status === 'withdrawn'
  const isAllowed = !isWithdrawn && isYes(row.answer)
  // Another client of codex answered, and codex does not, or not yet, tell what.
  const isCalm = isWithdrawn || row.answer == null
  const Icon = isWithdrawn ? Undo2 : isAllowed ? CircleCheck : CircleSlash
  const by = row.by === 'rule' || row.by === 'default' || row.by === 'person' ? row.by : null
  return (
    <p
      className={classNames(
        'flex gap-2 text-[13px]',
        isCalm ? 'text-soft' : isAllowed ? 'text-good' : 'text-bad',
      )}
    >
      <Icon size={15} className="mt-0.5 shrink-0" aria-hidden />
      <span className="[overflow-wrap:anywhere]">
        {isWithdrawn
          ? 'Question withdrawn'
          : `${answerText(row.answer, row.question)} ${answeredBy({ by, actor: row.actor, rule: null })}`}
        <span className="text-soft">
          : {visible(row.title)}
          {row.why && ` (${visible(row.why)})`}
        </span>
      </span>
    </p>
  )
}
