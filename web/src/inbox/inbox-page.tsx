import { BellRing } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Approval } from '../api/contract.ts'
import { useOpenApprovals, useStatus } from '../api/queries.ts'
import { FirstVisit } from '../new-task/first-visit.tsx'
import { NOTIFY_KEY, wantNotifications } from '../shell/attention.ts'
import { useKeys } from '../shell/keys.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useKept } from '../ui/kept-value.ts'
import { Empty, Page, Panel } from '../ui/panel.tsx'
import { QuestionCard } from './question-card.tsx'
import { useAnswer } from './use-answer.ts'
import { useAnswerKeys } from './use-answer-keys.ts'
import { useCards } from './use-cards.ts'

export function InboxPage() {
  const { data, error } = useOpenApprovals()
  const cards = useCards(data)
  const open = cards.filter(({ status }) => status === 'pending')
  const [chosenId, setChosenId] = useState(idInAddress)
  const chosen = cards.find(({ id }) => id === chosenId) ?? open[0] ?? null
  // Once chosen it stays chosen, also when it is answered: the next one is never answered by a second press.
  const keptId = chosen?.id ?? null
  useEffect(() => {
    if (keptId !== null) setChosenId(keptId)
  }, [keptId])
  useEffect(() => {
    const onAddress = () => setChosenId(idInAddress())
    addEventListener('hashchange', onAddress)
    return () => removeEventListener('hashchange', onAddress)
  }, [])
  const move = (step: number) => {
    const index = cards.findIndex(({ id }) => id === chosen?.id) + step
    const next = cards[Math.max(0, Math.min(cards.length - 1, index))]
    if (next) setChosenId(next.id)
  }
  useKeys({ j: () => move(1), k: () => move(-1) })
  const { data: status } = useStatus()
  const isNew = status !== undefined && Object.values(status.counts.byStatus).every((count) => count === 0)
  if (isNew && cards.length === 0) return <FirstVisit />
  return (
    <Page title="Inbox" aside={<NotifyButton />}>
      <ErrorNote error={error} />
      {data && open.length === 0 && (
        <Panel>
          <Empty title="Nobody waits for you">
            When Codex needs leave to do something, or has a question, it is here. Tasks go on meanwhile;{' '}
            <Link href="/tasks" className="text-accent underline">
              see them all
            </Link>
            .
          </Empty>
        </Panel>
      )}
      <div className="flex flex-col gap-4">
        {cards.map((approval) => (
          <ChosenCard
            key={approval.id}
            approval={approval}
            isChosen={approval.id === chosen?.id && open.length > 0}
          />
        ))}
      </div>
    </Page>
  )
}

/** A notification leads to one question. */
function idInAddress(): string | null {
  return location.hash.slice(1) || null
}

function ChosenCard({ approval, isChosen }: { readonly approval: Approval; readonly isChosen: boolean }) {
  const element = useRef<HTMLElement>(null)
  const wasChosen = useRef(isChosen && approval.id !== idInAddress())
  const answer = useAnswer(approval)
  const [, go] = useLocation()
  useAnswerKeys(approval, { answer, isChosen })
  useKeys({
    Enter:
      isChosen && document.activeElement === element.current
        ? () => go(`/tasks/${approval.taskId}`)
        : undefined,
  })
  useEffect(() => {
    if (isChosen && !wasChosen.current) {
      element.current?.focus({ preventScroll: true })
      element.current?.scrollIntoView({ block: 'nearest' })
    }
    wasChosen.current = isChosen
  }, [isChosen])
  return <QuestionCard ref={element} approval={approval} answer={answer} isChosen={isChosen} />
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
