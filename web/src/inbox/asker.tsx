import { Bot, Clock, Folder, KeyRound, Server, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Approval } from '../api/contract.ts'
import { useTask } from '../api/queries.ts'
import { useAccountText } from '../tasks/place-facts.tsx'
import { Exact } from '../ui/exact.tsx'
import { sandboxText } from './sandbox-text.ts'

/** Who asks, from where, inside which sandbox, and until when. */
export function Asker({ approval, isInTask }: { readonly approval: Approval; readonly isInTask: boolean }) {
  const { question, taskId, deadlineAt, status } = approval
  const { data } = useTask(taskId)
  const cwd = 'cwd' in question ? question.cwd : data?.task.cwd
  const account = useAccountText(data?.task ?? NOWHERE)
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
      {question.host !== undefined && (
        <Fact
          icon={<Server size={14} aria-hidden />}
          text={
            <>
              on host{' '}
              <strong className="font-semibold text-ink">
                <Exact text={question.host} />
              </strong>
            </>
          }
        />
      )}
      {account !== '' && <Fact icon={<KeyRound size={14} aria-hidden />} text={`account ${account}`} />}
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

/** Before the task is known. */
const NOWHERE = { host: null, account: null, accountId: null }

function Fact({ icon, text }: { readonly icon: ReactNode; readonly text: ReactNode }) {
  return (
    <span className="inline-flex min-w-0 items-start gap-1.5">
      <span className="mt-0.5 shrink-0">{icon}</span>
      <span className="min-w-0 [overflow-wrap:anywhere]">{text}</span>
    </span>
  )
}
