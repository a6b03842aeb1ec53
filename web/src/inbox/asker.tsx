import { Bot, Clock, Folder, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Approval } from '../api/contract.ts'
import { useTask } from '../api/queries.ts'
import { Exact } from '../ui/exact.tsx'
import { sandboxText } from './sandbox-text.ts'

/** Who asks, from where, inside which sandbox, and until when. */
export function Asker({ approval, isInTask }: { readonly approval: Approval; readonly isInTask: boolean }) {
  const { question, taskId, deadlineAt, status } = approval
  const { data } = useTask(taskId)
  const cwd = 'cwd' in question ? question.cwd : data?.task.cwd
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[13px] text-soft">
      {!isInTask && (
        <Link
          href={`/tasks/${taskId}`}
          className="max-w-full font-medium text-accent [overflow-wrap:anywhere] hover:underline"
        >
          {data?.task.title ?? 'Task'}
        </Link>
      )}
      {question.parent && <Fact icon={<Bot size={14} aria-hidden />} text="asked by a sub-agent" />}
      {cwd && <Fact icon={<Folder size={14} aria-hidden />} text={<Exact text={cwd} />} />}
      {status === 'pending' && (
        <Fact icon={<ShieldCheck size={14} aria-hidden />} text={sandboxText(question, data?.task)} />
      )}
      {deadlineAt !== null && status === 'pending' && (
        <Fact
          icon={<Clock size={14} aria-hidden />}
          text={`no answer by ${new Date(deadlineAt).toLocaleTimeString()} means no`}
        />
      )}
    </div>
  )
}

function Fact({ icon, text }: { readonly icon: ReactNode; readonly text: ReactNode }) {
  return (
    <span className="inline-flex min-w-0 items-start gap-1.5">
      <span className="mt-0.5 shrink-0">{icon}</span>
      <span className="min-w-0 [overflow-wrap:anywhere]">{text}</span>
    </span>
  )
}
