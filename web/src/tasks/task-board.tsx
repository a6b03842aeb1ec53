import { Link } from 'wouter'
import type { Task } from '../api/contract.ts'
import { useTaskCounts, useTasks } from '../api/queries.ts'
import { classNames } from '../ui/class-names.ts'
import { StatusPill } from '../ui/status-pill.tsx'
import { COLUMNS, type Column, columnCount } from './columns.ts'
import { TaskFacts } from './task-facts.tsx'
import { filterQuery, type TaskFilter } from './task-filter.ts'
import { taskSummary } from './task-summary.ts'

const SHOWN = 50

interface Props {
  readonly filter: TaskFilter
  readonly chosenId: string | null
}

/** A column for each state, with its newest tasks and the number of all. */
export function TaskBoard({ filter, chosenId }: Props) {
  const all = filterQuery({ ...filter, column: '' })
  const { data } = useTaskCounts(all)
  const { data: forWorker } = useTaskCounts({ ...all, status: 'waiting', waitingFor: 'worker' })
  const columns = filter.column === '' ? COLUMNS : COLUMNS.filter(({ id }) => id === filter.column)
  return (
    <div className="scroll-thin flex min-h-0 flex-1 snap-x gap-3 overflow-x-auto pb-2">
      {columns.map((column) => (
        <BoardColumn
          key={column.id}
          column={column}
          filter={filter}
          chosenId={chosenId}
          count={
            data && forWorker
              ? columnCount(column, { byStatus: data.byStatus, forWorker: forWorker.total })
              : null
          }
        />
      ))}
    </div>
  )
}

interface ColumnProps extends Props {
  readonly column: Column
  /** Null while it is not known. */
  readonly count: number | null
}

function BoardColumn({ column, filter, chosenId, count }: ColumnProps) {
  const { data } = useTasks({ ...filterQuery({ ...filter, column: column.id }), limit: SHOWN })
  const tasks = data?.pages[0]?.items ?? []
  const more = (count ?? 0) - tasks.length
  return (
    <section
      aria-label={column.title}
      className="flex w-[78vw] shrink-0 snap-start flex-col sm:w-64 xl:w-auto xl:min-w-52 xl:flex-1"
    >
      <h2 className="flex items-center justify-between px-1 pb-2 text-[13px] font-semibold text-soft">
        {column.title} <span className="tabular-nums">{count?.toLocaleString()}</span>
      </h2>
      <ul className="scroll-thin flex min-h-24 flex-1 flex-col gap-2 overflow-y-auto rounded-xl bg-sunk p-2">
        {tasks.map((task) => (
          <li key={task.id}>
            <TaskCard task={task} isChosen={task.id === chosenId} hasStatus={column.statuses.length > 1} />
          </li>
        ))}
        {more > 0 && data && (
          <li className="px-1 text-xs text-soft">and {more.toLocaleString()} more, in the list</li>
        )}
      </ul>
    </section>
  )
}

interface CardProps {
  readonly task: Task
  readonly isChosen: boolean
  readonly hasStatus: boolean
}

function TaskCard({ task, isChosen, hasStatus }: CardProps) {
  return (
    <Link
      href={`/tasks/${task.id}`}
      className={classNames(
        'flex flex-col gap-1.5 rounded-lg border bg-panel p-3 hover:border-soft',
        isChosen ? 'border-accent' : 'border-line',
      )}
    >
      <span className="line-clamp-2 text-sm font-medium [overflow-wrap:anywhere]">{task.title}</span>
      {hasStatus && (
        <span>
          <StatusPill task={task} />
        </span>
      )}
      <span className="line-clamp-2 text-xs text-soft [overflow-wrap:anywhere]">{taskSummary(task)}</span>
      <TaskFacts task={task} />
    </Link>
  )
}
