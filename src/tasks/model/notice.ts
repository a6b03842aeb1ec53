/**
 * What people are told of, once each: a question, an end, a limit, a loss, what codex itself wants to say, hands over or shows.
 * `caller-message` is for programs: only webhooks get it.
 */
export type NoticeCause =
  | 'approval'
  | 'input'
  | 'ended'
  | 'limited'
  | 'lost'
  | 'message'
  | 'deliverable'
  | 'attention'
  | 'link'
  | 'caller-message'

/** One notice to one target. Times in milliseconds. */
export interface Notice {
  readonly id: string
  readonly taskId: string
  readonly cause: NoticeCause
  /** `webhook:https://…`, secrets taken out. */
  readonly target: string
  /** `no_target`: there was nobody to tell. `dead`: given up after the last try. */
  readonly status: 'pending' | 'sent' | 'dead' | 'no_target'
  readonly title: string
  readonly text: string
  readonly attempts: number
  readonly nextAttemptAt: number | null
  readonly lastError: string | null
  readonly createdAt: number
  readonly sentAt: number | null
}

export interface NoticeQuery {
  readonly status?: Notice['status'] | undefined
  readonly taskId?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** A notice as it is put into the outbox and sent from there. */
export interface OutgoingNotice {
  /** The same however often it is sent: receivers tell a second one by it. */
  readonly id: string
  readonly taskId: string
  readonly cause: NoticeCause
  /** As the task has it: a name from the settings, or the whole target with its secrets. Empty: there is none. */
  readonly target: string
  readonly title: string
  /** For people: secrets taken out, at most a screenful, the link last. */
  readonly text: string
  /** For programs: JSON of a `NoticePayload`. */
  readonly payload: string
  readonly attempts: number
  readonly createdAt: number
}
