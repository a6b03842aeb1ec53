import { useMutation, useQueryClient } from '@tanstack/react-query'
import * as calls from '../api/calls.ts'
import type { Task, Work } from '../api/contract.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Exact } from '../ui/exact.tsx'

interface Props {
  readonly task: Task
  readonly work: Work
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onGone: () => void
}

/** Shows all that is lost; what is sent is for exactly that. */
export function DiscardDialog({ task, work, isOpen, onClose, onGone }: Props) {
  const client = useQueryClient()
  const discard = useMutation({
    mutationFn: () => calls.work.discard(task.id, { seen: work.seen, repository: work.workspace }),
    onSuccess: async () => {
      onClose()
      onGone()
      await client.invalidateQueries({ queryKey: ['work', task.id] })
    },
  })
  const isClone = task.workspace?.kind === 'clone'
  const commits = work.isMerged ? [] : work.commits
  return (
    <Dialog title={`Discard the workspace ${work.workspace}?`} isOpen={isOpen} onClose={onClose}>
      <div className="flex flex-col gap-3 text-sm">
        <p>{work.folder} is removed. The task cannot go on there.</p>
        {work.uncommitted.length > 0 && (
          <div>
            <p>These changes are in no commit, and are lost:</p>
            <ul className="scroll-thin mt-1 max-h-60 overflow-y-auto text-[13px]">
              {work.uncommitted.map(({ path, change }) => (
                <li key={path}>
                  <code>
                    <Exact text={path} />
                  </code>{' '}
                  <span className="text-soft">{change}</span>
                </li>
              ))}
            </ul>
          </div>
        )}
        {commits.length > 0 && (
          <div>
            <p>
              {isClone
                ? 'These commits are only here, and are lost:'
                : `These commits are only on ${work.branch}. The branch stays:`}
            </p>
            <ul className="mt-1 text-[13px]">
              {commits.map(({ id, subject }) => (
                <li key={id}>
                  <code>{id.slice(0, 9)}</code> <Exact text={subject} />
                </li>
              ))}
            </ul>
          </div>
        )}
        <ErrorNote error={discard.error} />
        <div className="flex gap-2">
          <Button tone="danger" disabled={discard.isPending} onClick={() => discard.mutate()}>
            Discard
          </Button>
          <Button onClick={onClose}>Keep it</Button>
        </div>
      </div>
    </Dialog>
  )
}
