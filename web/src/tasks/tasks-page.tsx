import { Columns3, List, Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { useTasks } from '../api/queries.ts'
import { FirstVisit } from '../new-task/first-visit.tsx'
import { useKeys } from '../shell/keys.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { useKept } from '../ui/kept-value.ts'
import { Empty } from '../ui/panel.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { FilterBar } from './filter-bar.tsx'
import { TaskBoard } from './task-board.tsx'
import { filterAddress, filterQuery, readFilter, type TaskFilter } from './task-filter.ts'
import { TaskList } from './task-list.tsx'

export function TasksPage() {
  usePageTitle('Tasks')
  const [, go] = useLocation()
  const address = useSearch()
  const filter = readFilter(address)
  const setFilter = useCallback((next: TaskFilter) => go(filterAddress(next), { replace: true }), [go])
  const [view, setView] = useKept<'list' | 'board'>('tasks-view', 'list')
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [chosenId, setChosenId] = useState<string | null>(null)
  const { data, error, fetchNextPage, hasNextPage } = useTasks(filterQuery(filter))
  const tasks = data?.pages.flatMap(({ items }) => items)
  const more = useCallback(() => {
    if (hasNextPage) void fetchNextPage()
  }, [hasNextPage, fetchNextPage])
  const move = (step: number) => {
    const index = (tasks?.findIndex(({ id }) => id === chosenId) ?? -1) + step
    setChosenId(tasks?.[Math.max(0, Math.min(tasks.length - 1, index))]?.id ?? null)
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: chosenId ? () => go(`/tasks/${chosenId}`) : undefined,
  })
  const pick = (id: string, isPicked: boolean) => {
    const next = new Set(picked)
    if (isPicked) next.add(id)
    else next.delete(id)
    setPicked(next)
  }
  const isNarrowed = filterAddress(filter) !== '/tasks'
  if (tasks?.length === 0 && !isNarrowed) return <FirstVisit />
  return (
    <div className="mx-auto flex h-full max-w-7xl flex-col gap-3 px-4 py-5 md:px-8 md:py-7">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold tracking-tight">Tasks</h1>
        <div className="flex items-center gap-2">
          <Toggle
            label="How tasks are shown"
            value={view}
            onChoose={setView}
            options={[
              {
                value: 'list',
                text: (
                  <>
                    <List size={15} aria-hidden /> List
                  </>
                ),
              },
              {
                value: 'board',
                text: (
                  <>
                    <Columns3 size={15} aria-hidden /> Board
                  </>
                ),
              },
            ]}
          />
          <Link
            href="/new"
            className="inline-flex min-h-8 items-center gap-1.5 rounded-lg bg-accent px-3 text-sm font-medium text-accent-ink hover:brightness-110"
          >
            <Plus size={16} aria-hidden /> New task
          </Link>
        </div>
      </header>
      <FilterBar filter={filter} onChange={setFilter} />
      {picked.size > 0 && tasks && (
        <BulkBar tasks={tasks.filter(({ id }) => picked.has(id))} onDone={() => setPicked(new Set())} />
      )}
      <ErrorNote error={error} />
      {tasks?.length === 0 && <Empty title="No task is like that">Take something out of the filter.</Empty>}
      {tasks && tasks.length > 0 && view === 'list' && (
        <TaskList
          tasks={tasks}
          chosenId={chosenId}
          picked={picked}
          onPick={pick}
          onLabel={(label) => setFilter({ ...filter, label })}
          onEnd={more}
        />
      )}
      {tasks && tasks.length > 0 && view === 'board' && <TaskBoard filter={filter} chosenId={chosenId} />}
    </div>
  )
}
