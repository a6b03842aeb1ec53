import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { Task } from '../api/contract.ts'
import { classNames } from '../ui/class-names.ts'
import { StatusPill } from '../ui/status-pill.tsx'
import { Labels, TaskFacts } from './task-facts.tsx'
import { taskSummary } from './task-summary.ts'

interface Props {
  readonly tasks: readonly Task[]
  readonly chosenId: string | null
  readonly picked: ReadonlySet<string>
  readonly onPick: (id: string, isPicked: boolean) => void
  readonly onLabel: (label: string) => void
  readonly onEnd: () => void
}

export function TaskList({ tasks, chosenId, picked, onPick, onLabel, onEnd }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 74,
    getItemKey: (index) => tasks[index]!.id,
    overscan: 8,
  })
  const rows = virtualizer.getVirtualItems()
  const isAtEnd = rows.length > 0 && rows.at(-1)!.index >= tasks.length - 5
  useEffect(() => {
    if (isAtEnd) onEnd()
  }, [isAtEnd, onEnd])
  const chosenIndex = tasks.findIndex(({ id }) => id === chosenId)
  useEffect(() => {
    if (chosenIndex >= 0) virtualizer.scrollToIndex(chosenIndex)
  }, [chosenIndex, virtualizer])
  return (
    <div
      ref={scroller}
      className="scroll-thin min-h-0 flex-1 overflow-y-auto rounded-xl border border-line bg-panel"
    >
      <ul aria-label="Tasks" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {rows.map((row) => {
          const task = tasks[row.index]!
          return (
            <li
              key={row.key}
              ref={virtualizer.measureElement}
              data-index={row.index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${row.start}px)` }}
            >
              <TaskRow
                task={task}
                isChosen={task.id === chosenId}
                isPicked={picked.has(task.id)}
                onPick={onPick}
                onLabel={onLabel}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}

interface RowProps extends Pick<Props, 'onPick' | 'onLabel'> {
  readonly task: Task
  readonly isChosen: boolean
  readonly isPicked: boolean
}

function TaskRow({ task, isChosen, isPicked, onPick, onLabel }: RowProps) {
  return (
    <div
      className={classNames(
        'flex gap-3 border-b border-line px-3 py-3 sm:px-4',
        isChosen ? 'bg-accent-wash' : 'hover:bg-sunk',
      )}
    >
      <input
        type="checkbox"
        aria-label={`Pick ${task.title}`}
        className="mt-1 size-4 shrink-0 accent-accent"
        checked={isPicked}
        onChange={(event) => onPick(task.id, event.target.checked)}
      />
      <div className="min-w-0 flex-1">
        <div className="flex items-start justify-between gap-3">
          <Link href={`/tasks/${task.id}`} className="min-w-0 truncate font-medium hover:underline">
            {task.title}
          </Link>
          <StatusPill task={task} />
        </div>
        <p className="truncate text-[13px] text-soft">{taskSummary(task)}</p>
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
          <TaskFacts task={task} />
          <Labels labels={task.labels} onChoose={onLabel} />
        </div>
      </div>
    </div>
  )
}
