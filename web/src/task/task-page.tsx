import { useEffect, useMemo, useState } from 'react'
import type { TaskDetail } from '../api/contract.ts'
import { useTask } from '../api/queries.ts'
import { SaidStrip } from '../handover/said-strip.tsx'
import { useCardSteps } from '../inbox/use-card-steps.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { classNames } from '../ui/class-names.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { useKept } from '../ui/kept-value.ts'
import { Empty } from '../ui/panel.tsx'
import { Composer } from './composer.tsx'
import { QueuedMessages } from './queued-messages.tsx'
import { SidePanel } from './side/side-panel.tsx'
import { TaskHeader } from './task-header.tsx'
import { TranscriptView } from './transcript-view.tsx'
import { useTaskLog } from './use-task-log.ts'
import { DEFAULT_VERBOSITY, isShown, OpenRows, ViewContext } from './verbosity.ts'
import { WorkerNote } from './worker-note.tsx'

export function TaskPage({ id }: { readonly id: string }) {
  const { data, error } = useTask(id)
  if (data) return <LoadedTask detail={data} />
  return error ? (
    <div className="p-6">
      <ErrorNote error={error} />
    </div>
  ) : null
}

function LoadedTask({ detail }: { readonly detail: TaskDetail }) {
  const { task, messages } = detail
  usePageTitle(task.title)
  useCardSteps()
  const { view, log } = useTaskLog(task.id, task.threadId)
  const [verbosity, setVerbosity] = useKept('verbosity', DEFAULT_VERBOSITY)
  const [open] = useState(() => new OpenRows())
  const [isSideOpen, setSideOpen] = useKept('side', window.innerWidth >= 1200)
  const rows = useMemo(() => view.transcript.rows.filter((row) => isShown(row, verbosity)), [view, verbosity])
  useEffect(() => void import('../markdown/streamdown-view.tsx'), [])
  const context = useMemo(
    () => ({ verbosity, open, taskId: task.id, cwd: task.cwd }),
    [verbosity, open, task.id, task.cwd],
  )
  return (
    <ViewContext value={context}>
      <div className="flex h-full min-h-0 flex-col">
        <TaskHeader task={task} isSideOpen={isSideOpen} onSide={() => setSideOpen(!isSideOpen)} />
        <div className="relative flex min-h-0 flex-1">
          <div className="flex min-h-0 min-w-0 flex-1 flex-col">
            <SaidStrip task={task} />
            <WorkerNote task={task} />
            <ErrorNote error={view.error} />
            {view.isLoaded && rows.length === 0 ? (
              <div className="flex-1">
                <Empty title={task.status === 'queued' ? 'In the queue' : 'Nothing has happened yet'}>
                  {task.prompt}
                </Empty>
              </div>
            ) : (
              <TranscriptView rows={rows} hasOlder={view.hasOlder} onOlder={() => void log.loadOlder()} />
            )}
            <QueuedMessages taskId={task.id} messages={messages} />
            <Composer task={task} />
          </div>
          <aside
            aria-label="Details"
            hidden={!isSideOpen}
            className={classNames(
              'scroll-thin min-h-0 overflow-y-auto border-l border-line bg-page',
              'max-lg:absolute max-lg:inset-0 max-lg:z-20 lg:w-[26rem] lg:shrink-0',
            )}
          >
            {isSideOpen && (
              <SidePanel
                task={task}
                view={view}
                verbosity={verbosity}
                onVerbosity={setVerbosity}
                onClose={() => setSideOpen(false)}
              />
            )}
          </aside>
        </div>
      </div>
    </ViewContext>
  )
}
