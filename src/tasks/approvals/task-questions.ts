// From a question of codex to an approval of the task that asks it.
import {
  type Approver,
  lookUpPaths,
  type Question,
  type RealPath,
  type UserInputQuestion,
} from '../../codex/index.ts'
import { type Db, type EventLog, LeaseLostError, type StoredTask, taskRow } from '../../store/index.ts'
import type { RunningAppServer } from '../model/index.ts'
import type { Approvals, Asking } from './approvals.ts'
import { askRules } from './ask-rules.ts'
import { judgingOf } from './gate.ts'

export interface TaskQuestionsParts {
  readonly log: EventLog
  readonly approvals: Approvals
  readonly realPathOf: (task: StoredTask, host: Partial<RunningAppServer['host']>) => RealPath
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
    try {
      const asking = await this.#asking(taskId, question, { id: appServer.id, host: appServer.host, signal })
      if (!asking) return { answer: 'deny', by: 'default', why: 'its task is gone' }
      if (question.method !== null) return await approvals.ask(asking, { signal })
      // codex does not wait for this one: the answer will be a message, whenever it comes.
      await approvals.note(asking)
      return 'deny'
    } catch (error) {
      // An error is a no to codex. This worker joins again on a new connection, and there codex asks again.
      if (error instanceof LeaseLostError) await whenAborted(signal)
      throw error
    }
  }

  /** One that codex put in a message while nobody listened. */
  async note(taskId: string, question: UserInputQuestion): Promise<void> {
    const row = await this.#row(taskId)
    const appServer = { id: row?.app_server_id ?? '', host: {} }
    const asking = await this.#asking(taskId, question, appServer)
    if (asking) await this.#parts.approvals.note(asking)
  }

  /** As a change: one that a database which is away keeps waiting is asked when it is back, and not refused. */
  #row(taskId: string): Promise<StoredTask | undefined> {
    return this.#parts.log.change(({ db }) => taskRow(db, taskId))
  }

  async #asking(
    taskId: string,
    question: Question,
    { id: appServerId, host, signal }: Where,
  ): Promise<Asking | null> {
    const { log, realPathOf, now, timeoutMs } = this.#parts
    const row = await this.#row(taskId)
    if (!row) return null
    const judging = async (db: Db) => judgingOf(db, (await taskRow(db, taskId)) ?? row, { now: now() })
    const rules = await log.change(({ db }) => judging(db))
    // Rules that change while paths are looked up: what they need and others do not is missing, and a person is asked.
    const paths = await lookUpPaths(
      (known) => askRules(question, { ...rules, paths: known }),
      realPathOf(row, host),
      {
        signal,
      },
    )
    const own = row.approval_timeout_ms ?? timeoutMs
    return { ...{ taskId, appServerId, question, judging, paths }, timeoutMs: own }
  }
}

/** Which codex asks, and for how long. */
interface Where {
  readonly id: string
  readonly host: Partial<RunningAppServer['host']>
  readonly signal?: AbortSignal
}

function whenAborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => resolve(), { once: true })
  if (signal.aborted) resolve()
  return promise
}
