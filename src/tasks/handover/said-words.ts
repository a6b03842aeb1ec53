// What the model says about its work: how far it is, that a person should look, a link to open. Shown with the task.
import { redact } from '../../codex/index.ts'
import {
  type Change,
  type EventLog,
  lockTask,
  type StoredTask,
  taskRow,
  updateTask,
} from '../../store/index.ts'
import { visibleLine } from '../../util/visible-text.ts'
import { attentionOf, clearAttention } from '../log/index.ts'
import { type StoredAttention, TaskError } from '../model/index.ts'
import type { Announcer } from '../notices/index.ts'

export interface SaidWordsParts {
  readonly log: Pick<EventLog, 'change'>
  readonly announcer: Announcer
}

/** People are told so often of one task; after that the mark on the task has to do. */
const MAX_NOTICES = 20
const MAX_LINKS = 20

export class SaidWords {
  readonly #parts: SaidWordsParts

  constructor(parts: SaidWordsParts) {
    this.#parts = parts
  }

  /** Stored when it resolves. The same as before changes nothing. */
  async progress(taskId: string, said: { text: string; percent: number | null }): Promise<void> {
    await this.#change(taskId, async (change, row) => {
      const { percent } = said
      const text = visibleLine(redact(said.text))
      const before = row.progress === null ? null : JSON.parse(row.progress)
      if (before?.text === text && before?.percent === percent) return
      const progress = JSON.stringify({ text, percent, at: change.now })
      await updateTask(change.db, taskId, { progress, updated_at: change.now })
      change.emit(taskId, 'drawbridge/progress', { text, percent })
    })
  }

  /** Another reason takes the place of the one before. False: people were told often enough, and see only the mark. */
  attention(taskId: string, reason: string): Promise<{ isTold: boolean }> {
    return this.#change(taskId, async (change, row) => {
      const before = attentionOf(row)
      const told = redact(reason)
      if (before?.reason === told) return { isTold: true }
      const count = before?.count ?? 0
      const isTold = count < MAX_NOTICES
      await storeAttention(change, taskId, {
        reason: told,
        at: change.now,
        count: isTold ? count + 1 : count,
      })
      change.emit(taskId, 'drawbridge/attention', { reason: told, actor: null })
      if (isTold) await this.#parts.announcer.announce(change, { cause: 'attention', taskId, message: told })
      return { isTold }
    })
  }

  clearAttention(taskId: string, actor: string): Promise<void> {
    return this.#change(taskId, (change, row) => clearAttention(change, row, actor))
  }

  /** Shown in full or not at all. The same link again is not shown twice. */
  async link(taskId: string, url: string): Promise<void> {
    if (redact(url) !== url)
      throw new TaskError(
        'bad-request',
        'the URL has a secret in it, such as a key or a token: it was not shown',
      )
    await this.#change(taskId, async (change, row) => {
      const links = JSON.parse(row.links ?? '[]') as { url: string; at: number }[]
      if (links.some((link) => link.url === url)) return
      if (links.length >= MAX_LINKS)
        throw new TaskError('bad-request', `this task has shown ${MAX_LINKS} links: that is the limit`)
      const shown = JSON.stringify([...links, { url, at: change.now }])
      await updateTask(change.db, taskId, { links: shown, updated_at: change.now })
      change.emit(taskId, 'drawbridge/link', { url })
      await this.#parts.announcer.announce(change, { cause: 'link', taskId, url })
    })
  }

  #change<T>(taskId: string, work: (change: Change, row: StoredTask) => Promise<T>): Promise<T> {
    return this.#parts.log.change(async (change) => {
      await lockTask(change.db, taskId)
      const row = await taskRow(change.db, taskId)
      if (!row) throw new TaskError('task-not-found', `there is no task ${taskId}`)
      return work(change, row)
    })
  }
}

function storeAttention(change: Change, taskId: string, attention: StoredAttention): Promise<void> {
  return updateTask(change.db, taskId, { attention: JSON.stringify(attention), updated_at: change.now })
}
