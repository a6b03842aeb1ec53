// A yes cannot give network in an untrusted folder. What people want then: network for the turns to come, or trust.
import { useState } from 'react'
import type { Approval, Decide } from '../api/contract.ts'
import { useTask } from '../api/queries.ts'
import { TrustCard } from '../trust/trust-card.tsx'
import { useTrustLook } from '../trust/use-trust.ts'
import { Button } from '../ui/button.tsx'
import { ANSWER_BUTTON, AnswerRow } from './answer-bar.tsx'

interface Props {
  readonly approval: Approval
  readonly isBusy: boolean
  readonly isSettling: boolean
  readonly onSend: (decide: Decide) => void
}

/** A row among the answers, and below it the trust card once somebody wants to see that. */
export function MissingNetwork({ approval, isBusy, isSettling, onSend }: Props) {
  const [isTrusting, setTrusting] = useState(false)
  const { question } = approval
  if (question.kind !== 'command' || question.escalation?.network !== false) return null
  const retry = (network: boolean) => onSend({ answer: 'cancel', retry: { network } })
  // Folders on hosts are always untrusted; the one of the same path here is another. A confined task gains nothing by it.
  const mayTrust = question.host === undefined && !question.escalation.isConfined
  const effect = (
    <>
      Ends this turn; the next one has network in the sandbox.
      {mayTrust && (
        <>
          {' '}
          Or{' '}
          <button type="button" className="underline" onClick={() => setTrusting(!isTrusting)}>
            trust the folder…
          </button>
        </>
      )}
    </>
  )
  return (
    <>
      <AnswerRow effect={effect}>
        <Button
          disabled={isBusy}
          aria-disabled={isSettling || undefined}
          onClick={() => retry(true)}
          className={ANSWER_BUTTON}
        >
          Retry with network
        </Button>
      </AnswerRow>
      {isTrusting && (
        <li>
          <TrustForTask approval={approval} onKeep={() => setTrusting(false)} onRetry={() => retry(false)} />
        </li>
      )}
    </>
  )
}

function TrustForTask({
  approval,
  onKeep,
  onRetry,
}: {
  readonly approval: Approval
  readonly onKeep: () => void
  readonly onRetry: () => void
}) {
  const { data } = useTask(approval.taskId)
  const place = { cwd: data?.task.cwd ?? '', codexHome: data?.task.codexHome ?? null }
  const { data: seen } = useTrustLook(place)
  if (!seen) return null
  if (seen.trust.state === 'untrusted') return <TrustCard place={place} seen={seen} onKeep={onKeep} />
  return (
    <p className="flex flex-wrap items-center gap-2">
      This folder is trusted now. It counts from the next turn on.
      <Button size="small" onClick={onRetry}>
        End this turn and try again
      </Button>
    </p>
  )
}
