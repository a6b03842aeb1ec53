// What a person reads: a title of one line and a text of a few.
import type { Question, Redactor } from '../../codex/index.ts'
import { commandText } from '../../util/command-text.ts'
import { plainText } from '../../util/screen-text.ts'
import type { Approval, CallerMessage, Deliverable, NoticeCause, Task } from '../model/index.ts'

const MAX_TEXT = 700
const MAX_TITLE = 120

export interface NoticeSubject {
  readonly cause: NoticeCause
  readonly task: Task
  /** The question, for `approval` and `input`. */
  readonly approval?: Approval | null | undefined
  /** What codex says, for `message` and `attention`. */
  readonly message?: string | null | undefined
  readonly deliverable?: Deliverable | undefined
  /** For `link`. */
  readonly url?: string | null | undefined
  readonly callerMessage?: CallerMessage | undefined
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

const SAID: Readonly<Partial<Record<NoticeCause, string>>> = {
  message: 'Message',
  deliverable: 'File handed over',
  attention: 'Needs your attention',
  link: 'Link to open',
  'caller-message': 'Message to your program',
}

function opening(cause: NoticeCause, task: Task): string {
  if (cause === 'approval') return 'Approval needed'
  if (cause === 'input') return 'Answer needed'
  if (cause === 'limited') return 'Usage limit'
  if (cause === 'lost') return 'Lost'
  const said = SAID[cause]
  if (said !== undefined) return said
  return ENDINGS[task.status] ?? 'Ended'
}

/** Only `body` can be long. */
function parts(subject: NoticeSubject): { before: string; body: string; after: string } {
  const { cause, task, approval, message } = subject
  const reason = shorten(task.reason, MAX_TEXT)
  if (approval && (cause === 'approval' || cause === 'input')) {
    return { before: '', body: questionText(approval.question), after: howToAnswer(approval) }
  }
  if (cause === 'message' || cause === 'attention') return { before: '', body: message ?? '', after: '' }
  if (subject.deliverable) return deliverableText(subject.deliverable)
  if (subject.url) return linkText(subject.url, task)
  if (subject.callerMessage) return { before: '', body: subject.callerMessage.name, after: '' }
  if (cause === 'limited') {
    const resumes = task.limitedUntil === null ? '' : `It goes on by itself at ${time(task.limitedUntil)}.`
    return { before: reason, body: '', after: resumes }
  }
  if (cause === 'lost') return { before: reason, body: '', after: `drawbridge task resume ${task.id}` }
  const hasAnswered = task.status === 'completed' || task.status === 'idle'
  if (hasAnswered && task.result) return { before: '', body: task.result.text, after: '' }
  return { before: reason, body: '', after: task.failure?.hint ?? '' }
}

function deliverableText({ title, name, bytes, note, taskId, number }: Deliverable) {
  const body = [`${title} (${name}, ${bytes} bytes)`, ...(note === null ? [] : [note])].join('\n')
  const commands = [`deliverables ${taskId} --get ${number}`, `accept ${taskId} ${number}`]
  return { before: '', body, after: commands.map((each) => `drawbridge task ${each}`).join('\n') }
}

/** Without the address: chat services fetch what they are sent, and a link may work only once. */
function linkText(url: string, { id }: Task) {
  const body = `The task shows a link to ${URL.parse(url)?.host ?? 'a page'}.`
  return { before: '', body, after: `drawbridge task show ${id}` }
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
