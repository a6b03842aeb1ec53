// What a person reads: a title of one line and a text of a few.
import type { Question, Redactor } from '../../codex/index.ts'
import { commandText } from '../../util/command-text.ts'
import { plainText } from '../../util/screen-text.ts'
import type { Approval, NoticeCause, Task } from '../model/index.ts'

const MAX_TEXT = 700
const MAX_TITLE = 120

export interface NoticeSubject {
  readonly cause: NoticeCause
  readonly task: Task
  /** The question, for `approval` and `input`. */
  readonly approval?: Approval | null | undefined
  /** What codex says, for `message`. */
  readonly message?: string | null | undefined
}

export function noticeTitle({ cause, task }: NoticeSubject, redactor: Redactor): string {
  const title = redactor.redact(plainText(task.title)).replace(/\s+/g, ' ').trim()
  return `${opening(cause, task)}: ${shorten(title || task.id, MAX_TITLE)}`
}

export function noticeText(subject: NoticeSubject, redactor: Redactor): string {
  const { before, body, after } = parts(subject)
  const lines = [before, body && shorten(redactor.redact(plainText(body)).trim(), MAX_TEXT), after]
  return lines
    .map((line) => redactor.redact(plainText(line)))
    .filter((line) => line !== '')
    .join('\n\n')
}

/** At most this many characters, whole ones, with a sign that something is missing. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  const cut = text.slice(0, Math.max(0, limit - 1))
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}

const ENDINGS: Readonly<Partial<Record<Task['status'], string>>> = {
  completed: 'Done',
  idle: 'Done',
  failed: 'Failed',
  interrupted: 'Interrupted',
  'timed-out': 'Timed out',
  limited: 'Usage limit',
  lost: 'Lost',
}

function opening(cause: NoticeCause, task: Task): string {
  if (cause === 'approval') return 'Approval needed'
  if (cause === 'input') return 'Answer needed'
  if (cause === 'limited') return 'Usage limit'
  if (cause === 'lost') return 'Lost'
  if (cause === 'message') return 'Message'
  return ENDINGS[task.status] ?? 'Ended'
}

/** Only `body` can be long. */
function parts({ cause, task, approval, message }: NoticeSubject): {
  before: string
  body: string
  after: string
} {
  const reason = shorten(task.reason, MAX_TEXT)
  if (approval && (cause === 'approval' || cause === 'input')) {
    return { before: '', body: questionText(approval.question), after: howToAnswer(approval) }
  }
  if (cause === 'message') return { before: '', body: message ?? '', after: '' }
  if (cause === 'limited') {
    const resumes = task.limitedUntil === null ? '' : `It goes on by itself at ${time(task.limitedUntil)}.`
    return { before: reason, body: '', after: resumes }
  }
  if (cause === 'lost') return { before: reason, body: '', after: `drawbridge task resume ${task.id}` }
  const hasAnswered = task.status === 'completed' || task.status === 'idle'
  if (hasAnswered && task.result) return { before: '', body: task.result.text, after: '' }
  return { before: reason, body: '', after: task.failure?.hint ?? '' }
}

function howToAnswer({ id, kind, deadlineAt }: Approval): string {
  const isInput = kind === 'user-input' || kind === 'elicitation'
  const commands = isInput ? `drawbridge answer ${id}` : `drawbridge approve ${id}\ndrawbridge deny ${id}`
  return deadlineAt === null
    ? commands
    : `${commands}\nWithout an answer it is declined at ${time(deadlineAt)}.`
}

function questionText(question: Question): string {
  const { title, reason } = question
  const more = details(question).filter((line) => line !== '' && !title.includes(line))
  return [title, ...(reason && reason !== title ? [reason] : []), ...more].join('\n')
}

function details(question: Question): readonly string[] {
  switch (question.kind) {
    case 'command':
      return [commandText(question.command), `in ${question.cwd}`]
    case 'file-change':
      return question.changes.map(({ path }) => path)
    case 'permissions':
      return [`in ${question.cwd}`]
    case 'mcp-tool':
      return [`${question.server} ${question.tool ?? ''}`.trim(), question.description ?? '']
    case 'elicitation':
      return [question.url ?? '']
    case 'user-input':
      return question.questions.flatMap(({ question: asked, options }) => [
        asked,
        ...(options ?? []).map(({ label }) => `- ${label}`),
      ])
  }
}

function time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
