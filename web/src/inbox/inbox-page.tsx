import { BellRing } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, Redirect } from 'wouter'
import { useOpenApprovals, useStatus } from '../api/queries.ts'
import { FirstVisit } from '../new-task/first-visit.tsx'
import { NOTIFY_KEY, wantNotifications } from '../shell/attention.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useKept } from '../ui/kept-value.ts'
import { Empty, Page, Panel } from '../ui/panel.tsx'
import { QuestionCard } from './question-card.tsx'
import { useCardSteps } from './use-card-steps.ts'
import { useCards } from './use-cards.ts'

export function InboxPage() {
  const { data, error } = useOpenApprovals()
  const cards = useCards(data)
  const open = cards.filter(({ status }) => status === 'pending')
  const wantedId = useIdInAddress()
  useCardSteps()
  const { data: status } = useStatus()
  const isNew =
    status !== undefined && Object.values(status.counts?.byStatus ?? {}).every((count) => count === 0)
  if (isNew && cards.length === 0) return <FirstVisit />
  const isElsewhere = data !== undefined && wantedId !== null && !cards.some(({ id }) => id === wantedId)
  if (isElsewhere) return <Redirect to={`/approvals/${encodeURIComponent(wantedId)}`} replace />
  return (
    <Page title="Inbox" aside={<NotifyButton />}>
      <ErrorNote error={error} />
      {data && open.length === 0 && (
        <Panel>
          <Empty title="Nothing needs you">
            When Codex asks for permission, or has a question, it is here. Tasks keep running meanwhile;{' '}
            <Link href="/tasks" className="text-accent underline">
              see them all
            </Link>
            .
          </Empty>
        </Panel>
      )}
      <div className="flex flex-col gap-4">
        {cards.map((approval) => (
          <QuestionCard key={approval.id} approval={approval} isWanted={approval.id === wantedId} />
        ))}
      </div>
    </Page>
  )
}

/** A notification leads to one question. */
function useIdInAddress(): string | null {
  const [id, setId] = useState(idInAddress)
  useEffect(() => {
    const onAddress = () => setId(idInAddress())
    addEventListener('hashchange', onAddress)
    return () => removeEventListener('hashchange', onAddress)
  }, [])
  return id
}

function idInAddress(): string | null {
  return location.hash.slice(1) || null
}

function NotifyButton() {
  const [isOn, setOn] = useKept(NOTIFY_KEY, false)
  if (!('Notification' in window)) return null
  const toggle = async () => setOn(isOn ? false : await wantNotifications())
  return (
    <Button size="small" tone="quiet" aria-pressed={isOn} onClick={() => void toggle()}>
      <BellRing size={15} aria-hidden /> {isOn ? 'Notifications are on' : 'Notify me here'}
    </Button>
  )
}
