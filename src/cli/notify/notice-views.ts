// Notices as people see them.
import type { Notice, NoticeDryRun } from '../../api/index.ts'
import { ago, type Cell, type Colour, localTime } from '../screen/index.ts'
import { shortId } from '../tasks/index.ts'

const COLOURS: Readonly<Record<Notice['status'], Colour>> = {
  pending: 'yellow',
  sent: 'green',
  dead: 'red',
  no_target: 'dim',
}

export const NOTICE_STATUSES = Object.keys(COLOURS)

export function noticeTable(notices: readonly Notice[], now: number): Cell[][] {
  const head = ['ID', 'STATUS', 'CREATED', 'TRIES', 'NEXT TRY', 'TARGET', 'WHAT']
  return [
    head.map((text): Cell => ({ text, colour: 'dim' })),
    ...notices.map((notice) => [
      { text: shortId(notice.id) },
      { text: notice.status, colour: COLOURS[notice.status] },
      { text: ago(notice.createdAt, now) },
      { text: String(notice.attempts) },
      { text: nextTry(notice, now) },
      { text: notice.target || '–' },
      { text: notice.lastError ? `${notice.title}: ${notice.lastError}` : notice.title },
    ]),
  ]
}

function nextTry({ status, nextAttemptAt }: Notice, now: number): string {
  if (status !== 'pending' || nextAttemptAt === null) return '–'
  return nextAttemptAt <= now ? 'now' : ago(nextAttemptAt, now)
}

/** Why it cannot be sent again, and what to do; null when it can. */
export function whyNotAgain({ id, status, sentAt }: Notice, now: number): string | null {
  if (status === 'sent')
    return `notice ${shortId(id)} was sent${sentAt === null ? '' : ` at ${localTime(sentAt, now)}`}: nothing is sent twice`
  if (status === 'no_target')
    return `notice ${shortId(id)} has nobody to go to. Name a target as "notify" in settings.json, or with \`drawbridge task start --notify <target>\`: later notices go there; \`drawbridge notify test <target>\` tries it`
  return null
}

export function draftLines(draft: NoticeDryRun): string[] {
  if ('error' in draft) return [draft.error]
  return [
    `${draft.method} ${draft.url}`,
    ...Object.entries(draft.headers).map(([name, value]) => `${name}: ${value}`),
    '',
    ...draft.body.split('\n'),
  ]
}
