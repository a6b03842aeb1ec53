// From a question of codex to an approval of the task that asks it; from an answer to the message it may have to be.
import {
  type Answer,
  type Approver,
  answerText,
  type Question,
  type UserInputQuestion,
} from '../codex/index.ts'
import { type Change, type Db, hasEnded, taskRow } from '../store/index.ts'
import type { Announcer } from './announcer.ts'
import type { RunningAppServer } from './app-servers.ts'
import type { Approval } from './approval.ts'
import type { Approvals, Asking } from './approvals.ts'
import type { Gate } from './gate.ts'
import type { Messages } from './messages.ts'
import type { Task } from './task.ts'
import { findTask } from './task-of-row.ts'

export interface TaskQuestionsParts {
  readonly reader: Db
  readonly gate: Gate
  readonly approvals: Approvals
  readonly messages: Messages
  readonly announcer: Announcer
  readonly now: () => number
  /** For tasks that set none. */
  readonly timeoutMs: number | null
}

export class TaskQuestions {
  readonly #parts: TaskQuestionsParts

  constructor(parts: TaskQuestionsParts) {
    this.#parts = parts
  }

  /** The answer, when there is one. */
  async ask(
    {
      taskId,
      appServer,
      question,
    }: { readonly taskId: string; readonly appServer: RunningAppServer; readonly question: Question },
    { signal }: Parameters<Approver>[1],
  ): Promise<Awaited<ReturnType<Approver>>> {
    const { approvals } = this.#parts
    const asking = await this.#asking(taskId, question, appServer)
    if (!asking) return { answer: 'deny', by: 'default', why: 'its task is gone' }
    if (question.method !== null) return approvals.ask(asking, { signal })
    // codex does not wait for this one: the answer will be a message, whenever it comes.
    await approvals.note(asking)
    return 'deny'
  }

  /** One that codex put in a message while nobody listened. */
  async note(taskId: string, question: UserInputQuestion): Promise<void> {
    const row = await taskRow(this.#parts.reader, taskId)
    const asking = await this.#asking(taskId, question, { id: row?.app_server_id ?? '', host: {} })
    if (asking) await this.#parts.approvals.note(asking)
  }

  /** In the change that answers a question codex does not wait for: the answer is a message. Returns how to send it. */
  async putAnswer(
    change: Change,
    { taskId, question, actor }: Approval,
    answer: Answer,
  ): Promise<() => Promise<void>> {
    const { messages, announcer } = this.#parts
    if (question.kind === 'user-input' && typeof answer === 'object' && 'answers' in answer) {
      const input = answerText(question, answer.answers)
      return messages.putAnswer(change, taskId, { input, actor: actor ?? '' })
    }
    const row = await taskRow(change.db, taskId)
    const hasNothingLeft = row !== undefined && hasEnded(row.status as Task['status'])
    if (hasNothingLeft) await announcer.announce(change, { cause: 'ended', taskId })
    return async () => {}
  }

  async #asking(
    taskId: string,
    question: Question,
    { id: appServerId, host }: { id: string; host: Partial<RunningAppServer['host']> },
  ): Promise<Asking | null> {
    const { reader, gate, now, timeoutMs } = this.#parts
    const [row, task] = [await taskRow(reader, taskId), await findTask(reader, taskId)]
    if (!row || !task) return null
    const resolve = host.realPath ?? (() => null)
    return {
      ...{ taskId, appServerId, question },
      judging: gate.judging(row, { labels: task.labels, now: now(), resolve }),
      timeoutMs: row.approval_timeout_ms ?? timeoutMs,
    }
  }
}
