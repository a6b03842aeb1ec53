import { useMutation } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useLocation } from 'wouter'
import * as calls from '../api/calls.ts'
import { useStatus } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { ErrorNote } from '../ui/error-note.tsx'

const COMMAND = 'drawbridge task start --demo "fix the failing test"'

/** One press to a task that works: the real codex, a scripted model, no account. */
export function DemoButton({ tone = 'main' }: { readonly tone?: 'main' | 'plain' }) {
  const [, go] = useLocation()
  const { data: status } = useStatus()
  const start = useMutation({
    mutationFn: ({ codexHome, cwd }: { codexHome: string; cwd: string }) =>
      calls.tasks.start(
        {
          prompt: 'Run the tests, fix what fails, and commit the fix.',
          title: 'Demo: fix the failing test',
          cwd,
          codexHome,
          labels: ['demo'],
        },
        crypto.randomUUID(),
      ),
    onSuccess: (task) => go(`/tasks/${task.id}`),
  })
  const demo = status?.demo
  if (!demo)
    return (
      <div className="flex items-center gap-2 rounded-lg border border-line bg-sunk py-1 pr-1 pl-3 text-left text-[13px]">
        <code className="[overflow-wrap:anywhere]">{COMMAND}</code>
        <CopyButton text={COMMAND} label="Copy the command" />
      </div>
    )
  return (
    <div className="flex flex-col items-center gap-2">
      <Button tone={tone} disabled={start.isPending} onClick={() => start.mutate(demo)}>
        <Play size={16} aria-hidden /> {start.isPending ? 'Starting…' : 'Run the demo'}
      </Button>
      <ErrorNote error={start.error} />
    </div>
  )
}
