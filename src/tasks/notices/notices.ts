// From something that happened to the notices that tell of it, one for each target. Pure: the caller stores them
// together with what happened.

import { createRedactor, type Redactor } from '../../codex/index.ts'
import { plainText } from '../../util/screen-text.ts'
import type { Deliverable, Notice, NoticeCause, OutgoingNotice } from '../model/index.ts'
import { type NoticeSubject, noticeText, noticeTitle, shorten } from './notice-text.ts'

/** What a program gets. Fields are added, never renamed; `version` changes if that ever breaks. */
export interface NoticePayload {
  readonly version: 1
  readonly id: string
  readonly cause: NoticeCause
  readonly at: number
  readonly title: string
  readonly text: string
  readonly task: {
    readonly id: string
    readonly title: string
    readonly status: string
    readonly waitingFor: string | null
    readonly reason: string
    readonly labels: readonly string[]
    readonly limitedUntil: number | null
    readonly result: { readonly turnId: string; readonly text: string; readonly isCut: boolean } | null
    readonly failure: { readonly code: string; readonly message: string } | null
  }
  readonly approval: {
    readonly id: string
    readonly kind: string
    readonly title: string
    readonly choices: readonly string[]
    readonly deadlineAt: number | null
  } | null
  /** Of a file that was handed over. */
  readonly deliverable: NoticeDeliverable | null
  /** What the model wants a person to open. */
  readonly url: string | null
  /** What the model tells the program. */
  readonly callerMessage: { readonly id: string; readonly name: string; readonly data: unknown } | null
  readonly links: NoticeLinks
}

type NoticeDeliverable = Pick<
  Deliverable,
  'id' | 'number' | 'title' | 'note' | 'name' | 'path' | 'bytes' | 'sha256'
>

/** Where the console shows it; null when nobody said where the console is. */
interface NoticeLinks {
  readonly task: string | null
  readonly approval: string | null
}

export interface NewNotice extends OutgoingNotice {
  readonly status: Extract<Notice['status'], 'pending' | 'no_target'>
}

export interface NoticeMaking {
  /** Of the task, or the service's own when the task has none. */
  readonly targets: readonly string[]
  /** Where people reach the console: `https://drawbridge.example`. */
  readonly baseUrl: string | null
  readonly at: number
  readonly newId: () => string
  readonly redactor?: Redactor | undefined
}

const MAX_RESULT = 4_000
const MAX_FIELD = 1_000

/** One for each target, each target once; a single one of status `no_target` when there is none. */
export function makeNotices(subject: NoticeSubject, making: NoticeMaking): readonly NewNotice[] {
  const redactor = making.redactor ?? createRedactor()
  const title = noticeTitle(subject, redactor)
  const links = linksOf(subject, making.baseUrl)
  const link = links.approval ?? links.task
  const text = [noticeText(subject, redactor), ...(link ? [link] : [])].join('\n\n')
  const told = { at: making.at, title, text, ...programPart(subject, redactor), links }
  const targets = new Set(making.targets.map((target) => target.trim()).filter((target) => target !== ''))
  return (targets.size > 0 ? [...targets] : ['']).map((target) => {
    const id = making.newId()
    const payload: NoticePayload = { version: 1, id, cause: subject.cause, ...told }
    return {
      id,
      taskId: subject.task.id,
      cause: subject.cause,
      target,
      status: target === '' ? 'no_target' : 'pending',
      title,
      text,
      payload: JSON.stringify(payload),
      attempts: 0,
      createdAt: making.at,
    }
  })
}

/** Every text is cleaned, redacted and cut, in this order: neither a split nor half a secret would be recognised. */
function programPart(
  { task, approval, deliverable, url = null, callerMessage }: NoticeSubject,
  redactor: Redactor,
): Pick<NoticePayload, 'task' | 'approval' | 'deliverable' | 'url' | 'callerMessage'> {
  const tell = (text: string, limit = MAX_FIELD) => shorten(redactor.redact(plainText(text)), limit)
  const { id, status, waitingFor, limitedUntil, result, failure } = task
  const answer = result ? redactor.redact(plainText(result.text)) : ''
  return {
    task: {
      ...{ id, status, waitingFor, limitedUntil },
      title: tell(task.title),
      reason: tell(task.reason),
      labels: task.labels.map((label) => tell(label)),
      result: result && {
        turnId: result.turnId,
        text: shorten(answer, MAX_RESULT),
        isCut: answer.length > MAX_RESULT,
      },
      failure: failure && { code: failure.code, message: tell(failure.message) },
    },
    approval: approval
      ? {
          id: approval.id,
          kind: approval.kind,
          title: tell(approval.question.title),
          choices: approval.question.choices.map(({ word }) => word),
          deadlineAt: approval.deadlineAt,
        }
      : null,
    deliverable: deliverable ? toldDeliverable(deliverable, tell) : null,
    // These two were redacted when they were taken in.
    url,
    callerMessage: callerMessage
      ? { id: callerMessage.id, name: callerMessage.name, data: callerMessage.data }
      : null,
  }
}

function toldDeliverable(
  { id, number, title, note, name, path, bytes, sha256 }: Deliverable,
  tell: (text: string) => string,
): NoticeDeliverable {
  const told = { title: tell(title), note: note === null ? null : tell(note) }
  return { id, number, ...told, name: tell(name), path: tell(path), bytes, sha256 }
}

/** The console's own paths. A token or query in the base would be a secret in somebody's chat, so it is left out. */
function linksOf({ task, approval }: NoticeSubject, baseUrl: string | null): NoticeLinks {
  const base = baseUrl === null ? null : URL.parse(baseUrl)
  if (!base) return { task: null, approval: null }
  const root = `${base.origin}${base.pathname.replace(/\/+$/, '')}`
  const page = (room: string, id: string) => `${root}/${room}/${encodeURIComponent(id)}`
  return { task: page('tasks', task.id), approval: approval ? page('approvals', approval.id) : null }
}
