// Notices as they are stored: put there in the change they tell of, taken by the worker, shown to people.
import { uuidv7 } from 'uuidv7'
import {
  claimNotices,
  type Db,
  dueNotices,
  insertNotices,
  listNotices,
  mapPage,
  nextNoticeDueAt,
  noticeRow,
  type Page,
  releaseNotices,
  type StoredNotice,
  settleNotice,
} from '../../store/index.ts'
import type { Notice, NoticeQuery, OutgoingNotice } from '../model/index.ts'
import { showTargetText } from '../targets/index.ts'
import type { SenderReach } from './notice-sender.ts'
import type { NewNotice } from './notices.ts'
import type { Outbox } from './outbox.ts'

/** To be called in the change that stores what the notices tell of. Wake the worker once it is committed. */
export async function putNotices(db: Db, notices: readonly NewNotice[]): Promise<void> {
  await insertNotices(db, notices.map(toRow))
}

/** What the worker takes from, when it is the only one. */
export function storedOutbox(db: Db): Outbox {
  return {
    due: async (now, options) => (await dueNotices(db, now, options)).map(toOutgoing),
    nextDueAt: ({ exceptTargets }) => nextNoticeDueAt(db, { exceptTargets }),
    sent: (id, at) => settleNotice(db, id, sentAt(at)),
    failed: (id, next) => settleNotice(db, id, failedWith(next)),
    dead: (id, error) => settleNotice(db, id, deadOf(error)),
  }
}

export interface SharedOutboxOptions {
  /** Longer than an attempt can take: after this another worker sends it. */
  readonly claimMs: number
  readonly reach: SenderReach
}

/** One that several workers take from. What none of them can send fails after a day, as it would at once with one. */
export function sharedOutbox(db: Db, { claimMs, reach }: SharedOutboxOptions): Outbox {
  const by = uuidv7()
  const mine = { claimedBy: by }
  const within = (now: number) => ({ ...reach, everythingBefore: now - LEFT_TO_OTHERS_MS })
  return {
    due: async (now, options) =>
      (await dueNotices(db, now, { ...options, reach: within(now) })).map(toOutgoing),
    nextDueAt: ({ exceptTargets, now }) => nextNoticeDueAt(db, { exceptTargets, reach: within(now) }),
    async claim(notices, now) {
      if (notices.length === 0) return []
      return (await claimNotices(db, idsOf(notices), { now, by, claimMs })).map(toOutgoing)
    },
    release: (notices) => releaseNotices(db, idsOf(notices), by),
    // Whoever has it now: it was received, and must not be sent again.
    sent: (id, at) => settleNotice(db, id, { ...sentAt(at), ...UNCLAIMED }),
    failed: (id, next) => settleNotice(db, id, { ...failedWith(next), ...UNCLAIMED }, mine),
    dead: (id, error) => settleNotice(db, id, { ...deadOf(error), ...UNCLAIMED }, mine),
  }
}

const LEFT_TO_OTHERS_MS = 24 * 60 * 60 * 1000
const UNCLAIMED = { claimed_by: null, claimed_until: null }

const sentAt = (at: number) => ({ status: 'sent', sent_at: at, next_attempt_at: null, last_error: null })
const failedWith = ({ error, nextAttemptAt }: { error: string; nextAttemptAt: number }) => ({
  status: 'pending',
  next_attempt_at: nextAttemptAt,
  last_error: error,
})
const deadOf = (error: string) => ({ status: 'dead', next_attempt_at: null, last_error: error })
const idsOf = (notices: readonly OutgoingNotice[]) => notices.map(({ id }) => id)

/** Newest first. */
export async function noticePage(db: Db, query: NoticeQuery): Promise<Page<Notice>> {
  return mapPage(await listNotices(db, query), toNotice)
}

export async function findNotice(db: Db, id: string): Promise<Notice | null> {
  const row = await noticeRow(db, id)
  return row ? toNotice(row) : null
}

/** With its secrets, to send it or to show what would be sent. */
export async function findOutgoing(db: Db, id: string): Promise<OutgoingNotice | null> {
  const row = await noticeRow(db, id)
  return row ? toOutgoing(row) : null
}

function toNotice(row: StoredNotice): Notice {
  return {
    id: row.id,
    taskId: row.task_id,
    cause: row.cause as Notice['cause'],
    target: row.target === '' ? '' : showTargetText(row.target),
    status: row.status as Notice['status'],
    title: row.title,
    text: row.text,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    lastError: row.last_error,
    createdAt: row.created_at,
    sentAt: row.sent_at,
  }
}

function toOutgoing(row: StoredNotice): OutgoingNotice {
  return {
    id: row.id,
    taskId: row.task_id,
    cause: row.cause as Notice['cause'],
    target: row.target,
    title: row.title,
    text: row.text,
    payload: row.payload,
    attempts: row.attempts,
    createdAt: row.created_at,
  }
}

/** A pending one is due at once. */
function toRow(notice: NewNotice) {
  return {
    id: notice.id,
    task_id: notice.taskId,
    cause: notice.cause,
    target: notice.target,
    status: notice.status,
    title: notice.title,
    text: notice.text,
    payload: notice.payload,
    attempts: notice.attempts,
    next_attempt_at: notice.status === 'pending' ? notice.createdAt : null,
    last_error: null,
    created_at: notice.createdAt,
    sent_at: null,
  }
}
