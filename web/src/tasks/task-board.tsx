import { Link } from 'wouter'
import type { Task } from '../api/contract.ts'
import { classNames } from '../ui/class-names.ts'
import { StatusPill } from '../ui/status-pill.tsx'
import { byColumn } from './columns.ts'
import { TaskFacts } from './task-facts.tsx'
import { taskSummary } from './task-summary.ts'

const SHOWN = 50

export function TaskBoard({
  tasks,
  chosenId,
}: {
  readonly tasks: readonly Task[]
  readonly chosenId: string | null
}) {
  return (
    <div className="scroll-thin flex min-h-0 flex-1 snap-x gap-3 overflow-x-auto pb-2">
      {byColumn(tasks).map(({ column, tasks: here }) => (
        <section
          key={column.id}
          aria-label={column.title}
          className="flex w-[78vw] shrink-0 snap-start flex-col sm:w-64 xl:w-auto xl:min-w-52 xl:flex-1"
        >
          <h2 className="flex items-center justify-between px-1 pb-2 text-[13px] font-semibold text-soft">
            {column.title} <span className="tabular-nums">{here.length}</span>
          </h2>
          <ul className="scroll-thin flex min-h-24 flex-1 flex-col gap-2 overflow-y-auto rounded-xl bg-sunk p-2">
            {here.slice(0, SHOWN).map((task) => (
              <li key={task.id}>
                <Link
                  href={`/tasks/${task.id}`}
                  className={classNames(
                    'flex flex-col gap-1.5 rounded-lg border bg-panel p-3 hover:border-soft',
                    task.id === chosenId ? 'border-accent' : 'border-line',
                  )}
                >
                  <span className="line-clamp-2 text-sm font-medium [overflow-wrap:anywhere]">
                    {task.title}
                  </span>
                  {column.statuses.length > 1 && (
                    <span>
                      <StatusPill task={task} />
                    </span>
                  )}
                  <span className="line-clamp-2 text-xs text-soft [overflow-wrap:anywhere]">
                    {taskSummary(task)}
                  </span>
                  <TaskFacts task={task} />
                </Link>
              </li>
            ))}
            {here.length > SHOWN && (
              <li className="px-1 text-xs text-soft">and {here.length - SHOWN} more, in the list</li>
            )}
          </ul>
        </section>
      ))}
    </div>
  )
}
