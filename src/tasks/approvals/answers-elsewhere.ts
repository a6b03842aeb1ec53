// Questions that another client of codex has answered, such as its own terminal. Codex says that, but neither who nor
// what: the answer is written down when the turn shows it, and at the latest when the turn ends.
import type { protocol, Question } from '../../codex/index.ts'
import {
  type Change,
  type EventLog,
  insertAudit,
  isAsyncRow,
  pendingApprovals,
  type StoredApproval,
  settleApproval,
  unauditedApprovals,
} from '../../store/index.ts'
import { AnswerTrace, answerInHistory, type Heard, type ShownAnswer } from './answer-trace.ts'
import { recordOf } from './approval-event.ts'
import { turnOf } from './turn-of.ts'

/** Who answered, as audit, console and notices call it. */
const CODEX_TERMINAL = 'codex terminal'

const NOT_SHOWN = 'Codex does not tell what the answer was'
const WHY: Readonly<Record<string, string>> = {
  once: 'Codex does not tell whether it was allowed once or for longer',
  deny: 'Codex was told no',
  cancel: 'Codex was told no, and to end the turn',
}

export interface AnswersElsewhereParts {
  readonly log: EventLog
  /** In the change that settles a question of the task. */
  readonly onSettled: (change: Change, row: StoredApproval) => Promise<void>
}

interface Traced {
  readonly approvalId: string
  readonly turnId: string
  readonly trace: AnswerTrace
}

export class AnswersElsewhere {
  readonly #parts: AnswersElsewhereParts
  /** By task: what was answered and has yet to show. */
  readonly #traced = new Map<string, Traced[]>()

  constructor(parts: AnswersElsewhereParts) {
    this.#parts = parts
  }

  /** Codex has an answer that was not given here. Queued at once: an answer that comes here afterwards is too late. */
  settle(taskId: string, approvalId: string, question: Question): Promise<void> {
    const isTraced = AnswerTrace.canShow(question)
    if (isTraced) {
      const traced = { approvalId, turnId: turnOf(question), trace: new AnswerTrace(question) }
      this.#traced.set(taskId, [...(this.#traced.get(taskId) ?? []), traced])
    }
    return this.#parts.log.change(async (change) => {
      const row = await this.#answered(change, approvalId, NOT_SHOWN)
      if (row && !isTraced) await audit(change, row)
    })
  }

  /** Every notification of a task, on the reader. */
  hear(taskId: string, heard: Heard): void {
    const traced = this.#traced.get(taskId)
    if (!traced) return
    const left = traced.filter(({ approvalId, trace }) => {
      const shown = trace.hear(heard)
      if (shown) void this.#write(approvalId, shown).catch(() => {})
      return !shown
    })
    this.#setTraced(taskId, left)
  }

  #setTraced(taskId: string, traced: Traced[]): void {
    if (traced.length > 0) this.#traced.set(taskId, traced)
    else this.#traced.delete(taskId)
  }

  /** In the change that ends a turn: what has not shown by then never will, but for these turns of the task. */
  async conclude(
    change: Change,
    { taskId, except }: { taskId: string; except: ReadonlySet<string> },
  ): Promise<void> {
    change.after(() => {
      const traced = this.#traced.get(taskId) ?? []
      this.#setTraced(
        taskId,
        traced.filter(({ turnId }) => except.has(turnId)),
      )
    })
    for (const row of await unauditedApprovals(change.db, { taskId, actor: CODEX_TERMINAL }))
      if (!except.has(turnOf(JSON.parse(row.question)))) await audit(change, row)
  }

  /**
   * Questions that were put before this time and that codex no longer waits for: they were answered while nobody here
   * listened. What the history does not show to be answered is left as it is.
   */
  async catchUp(
    taskId: string,
    { threadId, turns, before }: { threadId: string; turns: readonly protocol.v2.Turn[]; before: number },
  ): Promise<void> {
    await this.#parts.log.change(async (change) => {
      for (const pending of await pendingApprovals(change.db, taskId)) {
        const question = JSON.parse(pending.question) as Question
        if (isAsyncRow(pending) || question.threadId !== threadId || pending.created_at >= before) continue
        const shown = answerInHistory(question, turns)
        const row = shown && (await this.#answered(change, pending.id, whyOf(shown), shown))
        if (row) await audit(change, row)
      }
    })
  }

  /** undefined: an answer given here came first. */
  async #answered(
    change: Change,
    approvalId: string,
    why: string,
    { answer }: ShownAnswer = { answer: null },
  ): Promise<StoredApproval | undefined> {
    const row = await settleApproval(change.db, approvalId, {
      from: 'pending',
      status: 'answered',
      answer: answer === null ? null : JSON.stringify(answer),
      decided_by: 'person',
      actor: CODEX_TERMINAL,
      why,
      settled_at: change.now,
    })
    if (!row) return undefined
    recordOf(change, row)
    await this.#parts.onSettled(change, row)
    return row
  }

  async #write(approvalId: string, shown: ShownAnswer): Promise<void> {
    await this.#parts.log.change(async (change) => {
      const [open] = await unauditedApprovals(change.db, { approvalId, actor: CODEX_TERMINAL })
      if (!open) return
      const answer = shown.answer === null ? null : JSON.stringify(shown.answer)
      const row = await settleApproval(change.db, approvalId, { from: 'answered', answer, why: whyOf(shown) })
      if (!row) return
      await audit(change, row)
      recordOf(change, row)
    })
  }
}

function whyOf({ answer }: ShownAnswer): string {
  return (answer && WHY[answer]) ?? NOT_SHOWN
}

async function audit({ db, now }: Change, row: StoredApproval): Promise<void> {
  const { id, task_id, kind, title, actor, answer, why } = row
  await insertAudit(db, {
    ...{ at: now, approval_id: id, task_id, kind, title, actor, rule: null, why, answer },
    decided_by: 'person',
  })
}
