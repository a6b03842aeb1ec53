// The snapshots of a task: taken here, and restored as new tasks.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import * as calls from '../api/calls.ts'
import type { Snapshot, Task } from '../api/contract.ts'
import { bytesText } from '../ui/age-text.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Panel } from '../ui/panel.tsx'
import { Ago } from '../ui/time.tsx'

const AT_WORK = ['queued', 'starting', 'working', 'waiting']

export function SnapshotsPanel({ task }: { readonly task: Task }) {
  const client = useQueryClient()
  const key = ['snapshots', task.id]
  const { data, error } = useQuery({
    queryKey: [...key, `${task.turnCount} ${task.status}`],
    queryFn: ({ signal }) => calls.snapshots.list(task.id, signal),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) =>
      state.data?.items.some((each) => each.state === 'taking') ? 1000 : false,
    retry: false,
  })
  const take = useMutation({
    mutationFn: () => calls.snapshots.take(task.id),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  })
  const isBusy = AT_WORK.includes(task.status)
  const items = data?.items ?? []
  return (
    <Panel
      title="Snapshots"
      aside={
        <Button disabled={isBusy || take.isPending || task.host !== null} onClick={() => take.mutate()}>
          {take.isPending ? 'Taking…' : 'Take snapshot'}
        </Button>
      }
    >
      <div className="flex flex-col gap-2 p-4">
        <p className="text-[13px] text-soft">{hint(task, { isBusy, count: items.length })}</p>
        {items.map((each) => (
          <Row key={each.id} snapshot={each} />
        ))}
        <ErrorNote error={take.error ?? error} />
      </div>
    </Panel>
  )
}

function hint({ host }: Task, { isBusy, count }: { isBusy: boolean; count: number }): string {
  if (host !== null) return 'Snapshots are taken of tasks on this machine only.'
  if (isBusy) return 'A snapshot can be taken when the task rests.'
  return count === 0
    ? 'A snapshot keeps the files and the conversation, to go on from there later.'
    : 'Restore makes a new task in a new folder, with the same rights. It waits for your message.'
}

function Row({ snapshot }: { readonly snapshot: Snapshot }) {
  const [, go] = useLocation()
  const restore = useMutation({
    mutationFn: () => calls.snapshots.restore(snapshot.id),
    onSuccess: ({ id }) => go(`/tasks/${id}`),
  })
  const { state, problem, turnCount, files, bytes, storedBytes, leftOutCount } = snapshot
  const facts =
    state === 'ready'
      ? `${turnCount} turns · ${files} files · ${bytesText(bytes ?? 0)} (${bytesText(storedBytes ?? 0)} on disk)`
      : (problem ?? state)
  return (
    <div className="flex flex-col gap-1 border-t border-line pt-2">
      <div className="flex items-center justify-between gap-2 text-[13px]">
        <span>
          <Ago at={snapshot.createdAt} />
          <span className="block text-soft">
            {facts}
            {leftOutCount > 0 && ` · ${leftOutCount} left out`}
          </span>
        </span>
        {state === 'ready' && (
          <Button disabled={restore.isPending} onClick={() => restore.mutate()}>
            {restore.isPending ? 'Restoring…' : 'Restore'}
          </Button>
        )}
      </div>
      <ErrorNote error={restore.error} />
    </div>
  )
}
