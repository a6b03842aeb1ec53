import { Server } from 'lucide-react'
import { Link } from 'wouter'
import type { Task } from '../api/contract.ts'
import { sentence } from '../tasks/task-summary.ts'

/** Why a task stands still, where a worker is what it needs. */
export function WorkerNote({ task }: { readonly task: Task }) {
  const text = noteOf(task)
  if (text === null) return null
  return (
    <div
      role="status"
      className="flex gap-2 border-b border-line bg-wait-wash px-3 py-2 text-sm text-wait sm:px-4"
    >
      <Server size={16} className="mt-0.5 shrink-0" aria-hidden />
      <p className="min-w-0 [overflow-wrap:anywhere]">
        {text}{' '}
        <Link href="/system" className="whitespace-nowrap underline">
          See the workers
        </Link>
      </p>
    </div>
  )
}

/** The reason of a wait is in the header. */
function noteOf({ status, waitingFor, worker, on, reason }: Task): string | null {
  if (waitingFor === 'worker')
    return `Its thread and its folder are on ${worker?.name ?? 'another machine'}: it goes on there.`
  const isUnplaced = status === 'queued' && worker === null && on !== null
  return isUnplaced ? sentence(reason.replace(/[.\s]*$/, '.')) : null
}
