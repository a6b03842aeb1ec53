import { CircleAlert } from 'lucide-react'
import type { Task } from '../api/contract.ts'
import { ProgressBar } from '../handover/progress-bar.tsx'
import { countText } from '../ui/age-text.ts'
import { Ago } from '../ui/time.tsx'
import { hasEnded } from './columns.ts'
import { PlaceFacts } from './place-facts.tsx'

/** Age and cost at a glance. */
export function TaskFacts({ task }: { readonly task: Task }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-soft">
      {task.attention && (
        <span className="flex items-center gap-1 text-wait" title={task.attention.reason}>
          <CircleAlert size={13} aria-hidden /> Wants you to look
        </span>
      )}
      {task.openDeliverables > 0 && <span className="text-wait">{filesText(task.openDeliverables)}</span>}
      {task.progress && !hasEnded(task.status) && <ProgressBar progress={task.progress} />}
      <Ago at={task.createdAt} />
      {task.turnCount > 0 && <span>{task.turnCount === 1 ? '1 turn' : `${task.turnCount} turns`}</span>}
      {task.usage && (
        <span title={`${task.usage.inputTokens} in, ${task.usage.outputTokens} out`}>
          {countText(task.usage.totalTokens)} tokens
        </span>
      )}
      {task.queuedMessages > 0 && <span>{task.queuedMessages} queued</span>}
      <PlaceFacts task={task} />
      {task.worker && <span title="The worker that has it">on {task.worker.name}</span>}
      <span className="max-w-48 truncate" title={task.cwd}>
        {task.cwd.split('/').at(-1) || task.cwd}
      </span>
    </span>
  )
}

function filesText(count: number): string {
  return count === 1 ? '1 file to answer' : `${count} files to answer`
}

export function Labels({
  labels,
  onChoose,
}: {
  readonly labels: readonly string[]
  readonly onChoose?: (label: string) => void
}) {
  return labels.map((label) => (
    <button
      key={label}
      type="button"
      onClick={() => onChoose?.(label)}
      className="rounded-md bg-sunk px-1.5 py-0.5 text-xs text-soft hover:text-ink"
    >
      {label}
    </button>
  ))
}
