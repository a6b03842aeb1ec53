import { useMutation } from '@tanstack/react-query'
import { Check, CircleAlert, ExternalLink } from 'lucide-react'
import * as calls from '../api/calls.ts'
import type { Task } from '../api/contract.ts'
import { keys } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { hasEnded } from '../tasks/columns.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Exact } from '../ui/exact.tsx'
import { ProgressBar } from './progress-bar.tsx'

/** What the model says besides its answer: that a person should look, links, how far it is. */
export function SaidStrip({ task }: { readonly task: Task }) {
  const { attention, links, progress } = task
  const shown = hasEnded(task.status) ? null : progress
  if (!attention && !shown && links.length === 0) return null
  return (
    <div className="flex flex-col gap-2 border-b border-line bg-panel px-3 py-2 text-[13px] sm:px-4">
      {attention && <Attention taskId={task.id} reason={attention.reason} />}
      {links.map(({ url }) => (
        <p key={url} className="flex items-start gap-2">
          <ExternalLink size={15} aria-hidden className="mt-0.5 shrink-0 text-soft" />
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            className="min-w-0 underline underline-offset-2 [overflow-wrap:anywhere]"
          >
            <Exact text={url} />
          </a>
        </p>
      ))}
      {shown && <ProgressBar progress={shown} />}
    </div>
  )
}

function Attention({ taskId, reason }: { readonly taskId: string; readonly reason: string }) {
  const seen = useMutation({
    mutationFn: () => calls.tasks.seen(taskId),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.task(taskId) }),
  })
  return (
    <div role="status" className="flex items-start gap-2 rounded-lg bg-wait-wash px-3 py-2">
      <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-wait" />
      <p className="min-w-0 flex-1 whitespace-pre-wrap [overflow-wrap:anywhere]">{reason}</p>
      <Button size="small" disabled={seen.isPending} onClick={() => seen.mutate()}>
        <Check size={15} aria-hidden /> Seen
      </Button>
      <ErrorNote error={seen.error} />
    </div>
  )
}
