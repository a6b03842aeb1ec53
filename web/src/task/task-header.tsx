import { useMutation } from '@tanstack/react-query'
import { Archive, ArchiveRestore, ChevronLeft, GitFork, PanelRight, Play } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import * as calls from '../api/calls.ts'
import type { Task } from '../api/contract.ts'
import { keys } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { hasEnded } from '../tasks/columns.ts'
import { sentence } from '../tasks/task-summary.ts'
import { TrustBadge } from '../trust/trust-badge.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { StatusPill } from '../ui/status-pill.tsx'
import { InterruptButton } from './interrupt-button.tsx'

interface Props {
  readonly task: Task
  readonly isSideOpen: boolean
  readonly onSide: () => void
}

export function TaskHeader({ task, isSideOpen, onSide }: Props) {
  const [, go] = useLocation()
  const act = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.task(task.id) }),
  })
  const { id } = task
  const isOver = hasEnded(task.status)
  return (
    <header className="border-b border-line bg-panel px-3 py-2.5 sm:px-4">
      <div className="flex items-center gap-2">
        <Link
          href="/tasks"
          aria-label="All tasks"
          className="rounded-md p-1 text-soft hover:bg-sunk hover:text-ink"
        >
          <ChevronLeft size={18} />
        </Link>
        <h1 className="min-w-0 truncate font-semibold" title={task.title}>
          {task.title}
        </h1>
        <StatusPill task={task} />
        <div className="ml-auto flex items-center gap-1">
          <InterruptButton
            task={task}
            isBusy={act.isPending}
            onInterrupt={(options) => act.mutate(() => calls.tasks.interrupt(id, options))}
          />
          {isOver && task.status !== 'idle' && task.status !== 'completed' && (
            <Button
              size="small"
              disabled={act.isPending}
              onClick={() => act.mutate(() => calls.tasks.resume(id))}
            >
              <Play size={15} aria-hidden /> <span className="max-sm:sr-only">Resume</span>
            </Button>
          )}
          {isOver && (
            <Button
              size="small"
              tone="quiet"
              title="A new task with this history"
              disabled={act.isPending || task.threadId === null}
              onClick={() => act.mutate(() => calls.tasks.fork(id).then((made) => go(`/tasks/${made.id}`)))}
            >
              <GitFork size={15} aria-hidden /> <span className="max-md:sr-only">Fork</span>
            </Button>
          )}
          {isOver && (
            <Button
              size="small"
              tone="quiet"
              disabled={act.isPending}
              onClick={() => act.mutate(() => calls.tasks.change(id, { archived: task.archivedAt === null }))}
            >
              {task.archivedAt === null ? (
                <Archive size={15} aria-hidden />
              ) : (
                <ArchiveRestore size={15} aria-hidden />
              )}
              <span className="max-md:sr-only">{task.archivedAt === null ? 'Archive' : 'Put back'}</span>
            </Button>
          )}
          <Button
            size="small"
            tone="quiet"
            aria-pressed={isSideOpen}
            aria-label="Details"
            title="Details"
            onClick={onSide}
          >
            <PanelRight size={16} />
          </Button>
        </div>
      </div>
      <div className="flex items-center gap-2 pl-8">
        <p className="truncate text-[13px] text-soft" title={task.reason}>
          {sentence(task.reason)}
        </p>
        {task.host === null && <TrustBadge place={task} />}
      </div>
      <ErrorNote error={act.error} />
    </header>
  )
}
