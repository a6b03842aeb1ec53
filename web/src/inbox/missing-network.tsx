// A yes cannot give network in an untrusted folder. What people want then: network for the turns to come, or trust.
import { useState } from 'react'
import type { Approval, Decide } from '../api/contract.ts'
import { useTask } from '../api/queries.ts'
import { TrustCard } from '../trust/trust-card.tsx'
import { useTrustLook } from '../trust/use-trust.ts'
import { Button } from '../ui/button.tsx'

interface Props {
  readonly approval: Approval
  readonly isBusy: boolean
  readonly isSettling: boolean
  readonly onSend: (decide: Decide) => void
}

export function MissingNetwork({ approval, isBusy, isSettling, onSend }: Props) {
  const [isTrusting, setTrusting] = useState(false)
  const { question } = approval
  if (question.kind !== 'command' || question.escalation?.network !== false) return null
  const retry = (network: boolean) => onSend({ answer: 'cancel', retry: { network } })
  return (
    <section
      aria-label="Network"
      className="flex min-w-0 flex-col gap-2 rounded-lg bg-sunk px-3 py-1.5 text-[13px]"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          Untrusted folder: allowing this gives it <strong>no network</strong>.
        </span>
        <Button
          size="small"
          disabled={isBusy}
          aria-disabled={isSettling || undefined}
          onClick={() => retry(true)}
        >
          Try again with network
        </Button>
        <Button size="small" tone="quiet" disabled={isBusy} onClick={() => setTrusting(!isTrusting)}>
          Trust the folder…
        </Button>
      </div>
      {isTrusting && (
        <TrustForTask approval={approval} onKeep={() => setTrusting(false)} onRetry={() => retry(false)} />
      )}
    </section>
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
