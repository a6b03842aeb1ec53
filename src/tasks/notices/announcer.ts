// Puts notices into the outbox, in the transaction of what they tell of.
import { uuidv7 } from 'uuidv7'
import { type Change, taskRow } from '../../store/index.ts'
import { type Approval, findTask, type NoticeCause } from '../model/index.ts'
import { makeNotices } from './notices.ts'
import { putNotices } from './stored-outbox.ts'

export interface AnnouncerOptions {
  /** Where people reach the console; null when nobody knows yet. */
  readonly baseUrl: () => string | null
  /** There are notices to send. */
  readonly wake: () => void
}

export class Announcer {
  readonly #options: AnnouncerOptions

  constructor(options: AnnouncerOptions) {
    this.#options = options
  }

  async announce(
    change: Change,
    {
      cause,
      taskId,
      approval = null,
      message = null,
    }: { cause: NoticeCause; taskId: string; approval?: Approval | null; message?: string | null },
  ): Promise<void> {
    const row = await taskRow(change.db, taskId)
    const task = await findTask(change.db, taskId)
    if (!row || !task) return
    const { baseUrl, wake } = this.#options
    const making = {
      targets: JSON.parse(row.notify) as string[],
      baseUrl: baseUrl(),
      at: change.now,
      newId: uuidv7,
    }
    await putNotices(change.db, makeNotices({ cause, task, approval, message }, making))
    change.after(wake)
  }
}
