import { Link } from 'wouter'
import type { StartTask } from '../api/contract.ts'
import { ApiError } from '../api/http.ts'
import { Button } from '../ui/button.tsx'

interface Props {
  readonly error: unknown
  readonly isBusy: boolean
  readonly onChoose: (instead: Pick<StartTask, 'workspace' | 'shareFolder'>) => void
}

/** Another task writes to the folder: both ways on. */
export function SharedFolderNote({ error, isBusy, onChoose }: Props) {
  if (!(error instanceof ApiError) || error.code !== 'folder-in-use') return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button disabled={isBusy} onClick={() => onChoose({ workspace: { kind: 'worktree' } })}>
        Start it in a worktree
      </Button>
      <Button tone="danger" disabled={isBusy} onClick={() => onChoose({ shareFolder: true })}>
        Share the folder
      </Button>
      <Link href={`/tasks/${String(error.details.taskId)}`} className="text-sm underline">
        Show the other task
      </Link>
    </div>
  )
}
