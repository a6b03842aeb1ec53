import { Bot, Clock, Folder, ShieldCheck } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import { Link } from 'wouter'
import type { Approval } from '../api/contract.ts'
import { useTask } from '../api/queries.ts'
import { classNames } from '../ui/class-names.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { Ago } from '../ui/time.tsx'
import { AnswerBar } from './answer-bar.tsx'
import { KIND_TEXT } from './answer-text.ts'
import { PermissionsForm } from './permissions-form.tsx'
import { QuestionBody } from './question-body.tsx'
import { SchemaForm } from './schema-form.tsx'
import { SettledNote } from './settled-note.tsx'
import type { useAnswer } from './use-answer.ts'
import { UserInputForm } from './user-input-form.tsx'

interface Props {
  readonly approval: Approval
  readonly answer: ReturnType<typeof useAnswer>
  readonly isChosen?: boolean
  /** Inside its task the task need not be named. */
  readonly isInTask?: boolean
  readonly ref?: Ref<HTMLElement>
}

export function QuestionCard({ approval, answer, isChosen = false, isInTask = false, ref }: Props) {
  const { question } = approval
  const isOpen = approval.status === 'pending'
  return (
    <article
      ref={ref}
      id={approval.id}
      tabIndex={-1}
      aria-label={question.title}
      className={classNames(
        'flex scroll-my-4 flex-col gap-3 rounded-xl border bg-panel p-4',
        isChosen ? 'border-accent ring-1 ring-accent' : 'border-line',
        !isOpen && 'opacity-80',
      )}
    >
      <header className="flex items-center gap-2">
        <h2 className="text-[15px] font-semibold">{headline(approval)}</h2>
        <span className="ml-auto text-xs text-soft">
          <Ago at={approval.createdAt} />
        </span>
      </header>
      <Asker approval={approval} isInTask={isInTask} />
      {question.reason && <p className="border-l-2 border-wait pl-3 text-sm">{question.reason}</p>}
      <QuestionBody question={question} />
      {isOpen ? <Answers approval={approval} answer={answer} /> : <SettledNote approval={approval} />}
      {answer.error && isOpen && <ErrorNote error={answer.error} />}
    </article>
  )
}

function Answers({
  approval,
  answer,
}: {
  readonly approval: Approval
  readonly answer: ReturnType<typeof useAnswer>
}) {
  const { question } = approval
  const isBusy = answer.isPending
  return (
    <>
      {question.kind === 'permissions' && (
        <PermissionsForm
          permissions={question.permissions}
          isBusy={isBusy}
          onGrant={(given) => answer.mutate({ answer: given })}
        />
      )}
      {question.kind === 'user-input' && (
        <UserInputForm
          questions={question.questions}
          isBusy={isBusy}
          onSubmit={(answers) => answer.mutate({ answer: { answers } })}
        />
      )}
      {question.kind === 'elicitation' && question.schema !== null && (
        <SchemaForm
          schema={question.schema}
          isBusy={isBusy}
          onSubmit={(content) => answer.mutate({ answer: { content } })}
        />
      )}
      <AnswerBar approval={approval} isBusy={isBusy} onAnswer={(decide) => answer.mutate(decide)} />
    </>
  )
}

function Asker({ approval, isInTask }: { readonly approval: Approval; readonly isInTask: boolean }) {
  const { question, taskId, deadlineAt } = approval
  const { data } = useTask(taskId)
  const sandbox = data?.task.policy.sandbox ?? 'read-only'
  const cwd = 'cwd' in question ? question.cwd : data?.task.cwd
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[13px] text-soft">
      {!isInTask && (
        <Link
          href={`/tasks/${taskId}`}
          className="max-w-full truncate font-medium text-accent hover:underline"
        >
          {data?.task.title ?? 'Task'}
        </Link>
      )}
      {question.parent && <Fact icon={<Bot size={14} aria-hidden />} text="asked by a sub-agent" />}
      {cwd && <Fact icon={<Folder size={14} aria-hidden />} text={cwd} />}
      <Fact icon={<ShieldCheck size={14} aria-hidden />} text={`sandbox ${sandbox}`} />
      {deadlineAt !== null && (
        <Fact
          icon={<Clock size={14} aria-hidden />}
          text={`no answer by ${new Date(deadlineAt).toLocaleTimeString()} means no`}
        />
      )}
    </div>
  )
}

function Fact({ icon, text }: { readonly icon: ReactNode; readonly text: string }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      {icon}
      <span className="min-w-0 [overflow-wrap:anywhere]">{text}</span>
    </span>
  )
}

function headline({ kind, question }: Approval): string {
  if (question.kind === 'file-change')
    return question.changes.length === 1 ? 'Change a file' : `Change ${question.changes.length} files`
  if (question.kind === 'mcp-tool')
    return `Use ${question.server}${question.tool ? ` · ${question.tool}` : ''}`
  if (question.kind === 'elicitation') return `${question.server} asks`
  return KIND_TEXT[kind] ?? kind
}
