import { useMutation, useQueryClient } from '@tanstack/react-query'
import * as calls from '../api/calls.ts'
import type { Task } from '../api/contract.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { hasEnded } from './columns.ts'

interface Props {
  readonly tasks: readonly Task[]
  readonly onDone: () => void
}

/** What can be done to all that are picked; each is asked for by itself, and what failed is said. */
export function BulkBar({ tasks, onDone }: Props) {
  const client = useQueryClient()
  const ended = tasks.filter((task) => hasEnded(task.status))
  const running = tasks.filter((task) => !hasEnded(task.status))
  const act = useMutation({
    mutationFn: async ({ of, by }: { of: readonly Task[]; by: (id: string) => Promise<unknown> }) => {
      const results = await Promise.allSettled(of.map(({ id }) => by(id)))
      const failed = results.filter((result) => result.status === 'rejected')
      if (failed.length > 0)
        throw new Error(`${failed.length} of ${of.length}: ${String(failed[0]!.reason?.message)}`)
    },
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ['tasks'] }),
  })
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-xl border border-accent bg-accent-wash px-3 py-2 text-sm">
      <span className="font-medium">{tasks.length} picked</span>
      <Button
        size="small"
        disabled={ended.length === 0 || act.isPending}
        onClick={() => act.mutate({ of: ended, by: (id) => calls.tasks.change(id, { archived: true }) })}
      >
        Archive {ended.length}
      </Button>
      <Button
        size="small"
        tone="danger"
        disabled={running.length === 0 || act.isPending}
        onClick={() => act.mutate({ of: running, by: calls.tasks.interrupt })}
      >
        Interrupt {running.length}
      </Button>
      <Button size="small" tone="quiet" onClick={onDone}>
        Pick none
      </Button>
      <ErrorNote error={act.error} />
    </div>
  )
}
