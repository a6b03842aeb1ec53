// Puts notices into the outbox, in the transaction of what they tell of.
import { uuidv7 } from 'uuidv7'
import { type Change, taskRow } from '../../store/index.ts'
import { findTask } from '../model/index.ts'
import { type NamedTargets, resolveTarget } from '../targets/index.ts'
import type { NoticeSubject } from './notice-text.ts'
import { makeNotices } from './notices.ts'
import { putNotices } from './stored-outbox.ts'

export interface AnnouncerOptions {
  /** Where people reach the console; null when nobody knows yet. */
  readonly baseUrl: () => string | null
  /** Targets by their names in the settings. */
  readonly named: NamedTargets
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
    { taskId, ...subject }: Omit<NoticeSubject, 'task'> & { readonly taskId: string },
  ): Promise<void> {
    const row = await taskRow(change.db, taskId)
    const task = await findTask(change.db, taskId)
    if (!row || !task) return
    const { baseUrl, wake } = this.#options
    const targets = this.#targetsOf(subject, JSON.parse(row.notify) as string[])
    if (targets === null) return
    const making = { targets, baseUrl: baseUrl(), at: change.now, newId: uuidv7 }
    await putNotices(change.db, makeNotices({ ...subject, task }, making))
    change.after(wake)
  }

  /** null: it is for programs, and none is told. */
  #targetsOf({ cause }: Pick<NoticeSubject, 'cause'>, all: readonly string[]): readonly string[] | null {
    if (cause !== 'caller-message') return all
    const programs = all.filter((each) => {
      const target = resolveTarget(each, this.#options.named)
      return 'kind' in target && target.kind === 'webhook'
    })
    return programs.length > 0 ? programs : null
  }
}
