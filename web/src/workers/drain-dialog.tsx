import { useMutation, useQueryClient } from '@tanstack/react-query'
import * as calls from '../api/calls.ts'
import type { Worker } from '../api/contract.ts'
import { keys } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { takers } from './fleet.ts'

interface Props {
  readonly worker: Worker
  readonly workers: readonly Worker[]
  readonly onClose: () => void
}

/** Says what becomes of the tasks before it is done. */
export function DrainDialog({ worker, workers, onClose }: Props) {
  const client = useQueryClient()
  const isDraining = worker.state === 'draining'
  const act = useMutation({
    mutationFn: () => (isDraining ? calls.workers.undrain(worker.id) : calls.workers.drain(worker.id)),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: keys.workers }),
  })
  const verb = isDraining ? 'Undrain' : 'Drain'
  return (
    <Dialog title={`${verb} ${worker.name}?`} isOpen onClose={onClose}>
      <div className="flex flex-col gap-3 text-sm">
        {(isDraining ? undrainText(worker) : drainText(worker, workers)).map((text) => (
          <p key={text}>{text}</p>
        ))}
        <ErrorNote error={act.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" disabled={act.isPending} onClick={() => act.mutate()}>
            {verb} {worker.name}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function drainText(worker: Worker, workers: readonly Worker[]): string[] {
  const { name, tasks, working } = worker
  const count = tasks === 1 ? 'The task it has stays' : `The ${tasks} tasks it has stay`
  const kept = tasks === 0 ? 'It has no tasks.' : `${count} with it and can go on; ${working} working now.`
  const others = takers(workers, worker)
  return [
    `${name} takes no new tasks. ${kept}`,
    others === 0
      ? 'No other worker is up: new tasks wait until one is.'
      : 'New tasks run on the other workers. You can undrain it at any time.',
  ]
}

function undrainText({ name }: Worker): string[] {
  return [`${name} takes new tasks again. Tasks that wait in the queue may start on it at once.`]
}
