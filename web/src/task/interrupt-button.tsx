import { CircleStop } from 'lucide-react'
import { useState } from 'react'
import type { Task } from '../api/contract.ts'
import { useCountsBelow } from '../api/queries.ts'
import { hasEnded } from '../tasks/columns.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

interface Props {
  readonly task: Task
  readonly isBusy: boolean
  readonly onInterrupt: (options: { children: boolean }) => void
}

/** Asks only when tasks below this one would go on. */
export function InterruptButton({ task, isBusy, onInterrupt }: Props) {
  const [isAsked, setAsked] = useState(false)
  const byStatus = useCountsBelow(task.id).data?.byStatus ?? {}
  const working = Object.entries(byStatus)
    .filter(([status]) => !hasEnded(status))
    .reduce((sum, [, count]) => sum + count, 0)
  const isOver = hasEnded(task.status)
  if (isOver && working === 0) return null
  const interrupt = (options: { children: boolean }) => {
    setAsked(false)
    onInterrupt(options)
  }
  return (
    <>
      <Button
        size="small"
        tone="danger"
        disabled={isBusy}
        onClick={() => (working === 0 ? interrupt({ children: false }) : setAsked(true))}
      >
        <CircleStop size={15} aria-hidden /> <span className="max-sm:sr-only">Interrupt</span>
      </Button>
      <Dialog title="Interrupt the tasks it started, too?" isOpen={isAsked} onClose={() => setAsked(false)}>
        <div className="flex flex-col gap-3 text-sm">
          <p>
            {working === 1 ? 'A task that this one started is' : `${working} tasks that this one started are`}{' '}
            still at work.
          </p>
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => setAsked(false)}>Cancel</Button>
            {!isOver && <Button onClick={() => interrupt({ children: false })}>Only this task</Button>}
            <Button tone="danger" onClick={() => interrupt({ children: true })}>
              {isOver ? 'Interrupt them' : 'Interrupt all'}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  )
}
