// Puts notices into the outbox, in the transaction of what they tell of.
import { uuidv7 } from 'uuidv7'
import { type Db, taskRow } from '../store/index.ts'
import type { Approval } from './approval.ts'
import { makeNotices, type NoticeCause, putNotices } from './notifications/index.ts'
import { findTask } from './task-of-row.ts'

export interface AnnouncerOptions {
  /** Where people reach the console; null when nobody knows yet. */
  readonly baseUrl: () => string | null
  readonly now: () => number
}

export class Announcer {
  readonly #options: AnnouncerOptions
  /** Something was put in that the worker has not been woken for. */
  hasNews = false

  constructor(options: AnnouncerOptions) {
    this.#options = options
  }

  async announce(
    db: Db,
    { cause, taskId, approval = null }: { cause: NoticeCause; taskId: string; approval?: Approval | null },
  ): Promise<void> {
    const row = await taskRow(db, taskId)
    const task = await findTask(db, taskId)
    if (!row || !task) return
    const { now, baseUrl } = this.#options
    const making = {
      targets: JSON.parse(row.notify) as string[],
      baseUrl: baseUrl(),
      at: now(),
      newId: uuidv7,
    }
    await putNotices(db, makeNotices({ cause, task, approval }, making))
    this.hasNews = true
  }
}
