// Every question codex asks, from the row that opens it to the one answer that settles it. Rules are asked first; what
// they leave open waits for a person, across restarts. The answer is on disk before codex gets it.
import { uuidv7 } from 'uuidv7'
import {
  type Answer,
  checkAnswer,
  type Decided,
  hasCode,
  type KnownPaths,
  type Question,
  redactValue,
} from '../../codex/index.ts'
import {
  approvalByRequest,
  approvalRow,
  type Change,
  type Db,
  type EventLog,
  holdRules,
  insertApproval,
  insertAudit,
  isAsyncRow,
  pendingApprovals,
  type StoredApproval,
  settleApproval,
  type Work,
} from '../../store/index.ts'
import { Deadlines } from '../../util/deadlines.ts'
import { refreshWaiting, wantsInput } from '../log/index.ts'
import { type Approval, TaskError, toApproval } from '../model/index.ts'
import { AnswersElsewhere } from './answers-elsewhere.ts'
import { recordOf } from './approval-event.ts'
import { askRules } from './ask-rules.ts'
import type { RulesInForce } from './gate.ts'
import { answerForCodex, keptAnswer, shownQuestion } from './shown-question.ts'
import { turnOf } from './turn-of.ts'

export interface ApprovalsParts {
  readonly log: EventLog
  readonly now: () => number
  /** Whether the task of a question is run here, or its worker is gone and somebody else answers for it. */
  readonly owns: (taskId: string) => boolean
  /** In the transaction that opens the question. */
  readonly announce: (change: Change, cause: 'approval' | 'input', approval: Approval) => Promise<void>
  /** Whether the task waits for a person now. */
  readonly onWaiting: (taskId: string, isWaiting: boolean) => void
  /** In the transaction that answers a question codex does not wait for. Returns what is to be done then. */
  readonly onAsyncAnswer: (change: Change, approval: Approval, answer: Answer) => Promise<() => Promise<void>>
}

/** A question with what is known of whoever asks it. */
export interface Asking {
  readonly taskId: string
  readonly appServerId: string
  readonly question: Question
  /** The rules, as they stand in the transaction that opens it. */
  readonly judging: (db: Db) => Promise<RulesInForce>
  /** Looked up before that transaction: it waits for no other machine. */
  readonly paths: KnownPaths
  readonly timeoutMs: number | null
}

export interface Verdict {
  readonly answer: Answer
  readonly by: 'rule' | 'person' | 'default'
  readonly actor: string | null
  readonly rule: string | null
  readonly why: string | null
}

/** Secret answers in memory that codex has not asked for again. */
const MAX_UNTOLD = 100

export class Approvals {
  readonly #parts: ApprovalsParts
  /** Whoever waits for an answer that is on disk by then. */
  readonly #askers = new Map<string, (decided: Decided) => void>()
  /** Secret answers that came before codex, on a new connection, has asked again. What is stored of them is no answer. */
  readonly #untold = new Map<string, Answer>()
  readonly #deadlines: Deadlines
  /** What other clients of codex answered. */
  readonly elsewhere: AnswersElsewhere

  constructor(parts: ApprovalsParts) {
    this.#parts = parts
    this.elsewhere = new AnswersElsewhere({
      log: parts.log,
      onSettled: async (change, { id, task_id }) => {
        change.after(() => this.#deadlines.clear(id))
        await this.#refresh(change, task_id)
      },
    })
    this.#deadlines = new Deadlines(parts.now, (approvalId) => void this.expire(approvalId).catch(() => {}))
  }

  /** The answer, when there is one. Rejects when the question no longer stands, or only its asker is gone. */
  async ask(asking: Asking, { signal }: { signal: AbortSignal }): Promise<Decided> {
    const opened = await this.#parts.log.change((change) => this.#open(change, asking))
    if (opened.status === 'answered') return this.#answerTo(opened)
    this.#deadlines.set(opened.id, opened.deadline_at)
    const { promise, resolve, reject } = Promise.withResolvers<Decided>()
    this.#askers.set(opened.id, resolve)
    const told = { settled: Promise.resolve() }
    const onAbort = () => {
      if (this.#askers.get(opened.id) === resolve) this.#askers.delete(opened.id)
      if (hasCode(signal.reason, 'answered-elsewhere'))
        told.settled = this.elsewhere.settle(asking.taskId, opened.id, asking.question)
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    try {
      return await promise
    } catch (reason) {
      // codex may still want to know: it asks again as soon as we are back. Otherwise the question is over.
      if (!hasCode(reason, 'transport-closed', 'answered-elsewhere'))
        await this.withdraw(opened.id, messageOf(reason))
      await told.settled
      throw reason
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** A question that codex put in a message and does not wait for. */
  async note(asking: Asking): Promise<void> {
    const opened = await this.#parts.log.change((change) => this.#open(change, asking))
    this.#deadlines.set(opened.id, opened.deadline_at)
  }

  /** First answer wins. */
  async decide(approvalId: string, verdict: Verdict, also: Work<void> = async () => {}): Promise<Approval> {
    const { log, onAsyncAnswer } = this.#parts
    const known = await log.change(({ db }) => approvalRow(db, approvalId))
    if (!known) throw new TaskError('approval-not-found', `there is no approval ${approvalId}`)
    if (known.status !== 'pending') throw settledAlready(toApproval(known))
    requireAnswer(JSON.parse(known.question), verdict.answer)
    const { won, deliver } = await log.change(async (change) => {
      const won = await this.#settle(change, known, verdict)
      await also(change)
      change.after(() => this.#tellAsker(won, verdict.answer))
      const isAsync = isAsyncRow(won)
      const deliver = isAsync ? await onAsyncAnswer(change, toApproval(won), verdict.answer) : null
      return { won, deliver }
    })
    await deliver?.()
    return toApproval(won)
  }

  /** The answer as it was given: what is stored of a secret one is not what codex needs. */
  #tellAsker(won: StoredApproval, answer: Answer): void {
    this.#deadlines.clear(won.id)
    const tell = this.#askers.get(won.id)
    tell?.({ ...decidedBy(won), answer: answerForCodex(answer) })
    this.#askers.delete(won.id)
    if (tell || won.is_secret === 0 || isAsyncRow(won)) return
    const [oldest] = this.#untold.keys()
    if (this.#untold.size >= MAX_UNTOLD) this.#untold.delete(oldest!)
    this.#untold.set(won.id, answer)
  }

  #answerTo(answered: StoredApproval): Decided {
    const untold = this.#untold.get(answered.id)
    this.#untold.delete(answered.id)
    return { ...decidedBy(answered), ...(untold !== undefined && { answer: answerForCodex(untold) }) }
  }

  /** It can no longer be answered, for this reason. Nothing happens when it has been. */
  async withdraw(approvalId: string, why: string): Promise<void> {
    await this.#parts.log.change((change) => this.#withdraw(change, approvalId, why))
  }

  /** In a change: all that a task still asks, but for these turns of it. */
  async withdrawAll(
    change: Change,
    {
      taskId,
      why,
      isAsync,
      except = new Set(),
    }: { taskId: string; why: string; isAsync: boolean; except?: ReadonlySet<string> },
  ): Promise<void> {
    for (const row of await pendingApprovals(change.db, taskId))
      if (isAsyncRow(row) === isAsync && !except.has(turnOf(JSON.parse(row.question))))
        await this.#withdraw(change, row.id, why)
  }

  /** After a start of the service: deadlines go on. */
  async restore(): Promise<void> {
    const { log, owns } = this.#parts
    for (const { id, task_id, deadline_at } of await log.change(({ db }) => pendingApprovals(db)))
      if (owns(task_id)) this.#deadlines.set(id, deadline_at)
  }

  stop(): void {
    this.#deadlines.stop()
  }

  async #open(change: Change, asking: Asking): Promise<StoredApproval> {
    const { question, appServerId } = asking
    const requestId = JSON.stringify(question.requestId ?? `async:${question.itemId}`)
    const known = await approvalByRequest(change.db, appServerId, requestId)
    if (known) return this.#openAgain(change, { known, timeoutMs: asking.timeoutMs })
    await holdRules(change.db)
    const judging = { ...(await asking.judging(change.db)), paths: asking.paths }
    const { answer: ruled, proposed } = askRules(question, judging)
    const { now } = change
    const row: StoredApproval = {
      id: uuidv7(),
      task_id: asking.taskId,
      app_server_id: appServerId,
      request_id: requestId,
      kind: question.kind,
      title: redactValue(question.title) as string,
      question: JSON.stringify(redactValue(shownQuestion(question, proposed))),
      proposed_rule: proposed,
      status: 'pending',
      answer: null,
      is_secret: 0,
      decided_by: null,
      actor: null,
      rule: null,
      why: null,
      created_at: now,
      deadline_at: asking.timeoutMs === null ? null : now + asking.timeoutMs,
      settled_at: null,
    }
    await insertApproval(change.db, row)
    if (ruled) {
      const verdict = { ...ruled, actor: null, rule: ruled.rule ?? null, why: ruled.why ?? null }
      return this.#settle(change, row, verdict)
    }
    recordOf(change, row)
    await this.#parts.announce(change, wantsInput(row.kind) ? 'input' : 'approval', toApproval(row))
    await this.#refresh(change, row.task_id)
    return row
  }

  /** codex repeats a question whenever its thread is resumed, until it has the answer. */
  async #openAgain(
    change: Change,
    { known, timeoutMs }: { known: StoredApproval; timeoutMs: number | null },
  ): Promise<StoredApproval> {
    const isTold = known.answer !== null && (known.is_secret === 0 || this.#untold.has(known.id))
    const isKept = known.status === 'answered' && isTold
    if (known.status === 'pending' || isKept) return known
    const again = await settleApproval(change.db, known.id, {
      from: known.status,
      status: 'pending',
      ...{ answer: null, is_secret: 0, decided_by: null, actor: null, rule: null, settled_at: null },
      deadline_at: timeoutMs === null ? null : change.now + timeoutMs,
      why: known.status === 'answered' ? 'the secret answer did not reach codex: answer again' : null,
    })
    recordOf(change, again!)
    await this.#parts.announce(change, wantsInput(known.kind) ? 'input' : 'approval', toApproval(again!))
    await this.#refresh(change, known.task_id)
    return again!
  }

  async #settle(change: Change, known: StoredApproval, verdict: Verdict): Promise<StoredApproval> {
    const { now } = change
    const { answer, isSecret } = keptAnswer(JSON.parse(known.question), verdict.answer)
    if (isSecret && !this.#parts.owns(known.task_id)) throw secretsAreNotKept()
    const row = await settleApproval(change.db, known.id, {
      from: 'pending',
      status: 'answered',
      answer: JSON.stringify(answer),
      is_secret: isSecret ? 1 : 0,
      decided_by: verdict.by,
      actor: verdict.actor,
      rule: verdict.rule,
      why: verdict.why,
      settled_at: now,
    })
    if (!row) throw settledAlready(toApproval((await approvalRow(change.db, known.id)) ?? known))
    const { id, task_id, kind, title } = row
    const { by, actor, rule, why } = verdict
    await insertAudit(change.db, {
      ...{ at: now, approval_id: id, task_id, kind, title, actor, rule, why },
      answer: row.answer,
      decided_by: by,
    })
    recordOf(change, row)
    await this.#refresh(change, task_id)
    return row
  }

  async #withdraw(change: Change, approvalId: string, why: string): Promise<void> {
    const row = await settleApproval(change.db, approvalId, {
      from: 'pending',
      status: 'withdrawn',
      why,
      settled_at: change.now,
    })
    if (!row) return
    change.after(() => this.#deadlines.clear(approvalId))
    recordOf(change, row)
    await this.#refresh(change, row.task_id)
  }

  async #refresh(change: Change, taskId: string): Promise<void> {
    const { isWaiting } = await refreshWaiting(change, taskId)
    change.after(() => this.#parts.onWaiting(taskId, isWaiting))
  }

  /** Nobody has answered in time. */
  async expire(approvalId: string): Promise<void> {
    const why = 'nobody answered in time'
    await this.decide(approvalId, { answer: 'deny', by: 'default', actor: null, rule: null, why })
  }
}

function decidedBy(row: StoredApproval): Decided {
  return {
    answer: answerForCodex(JSON.parse(row.answer!) as Answer),
    by: row.decided_by as Decided['by'],
    ...(row.rule !== null && { rule: row.rule }),
    ...(row.why !== null && { why: row.why }),
  }
}

function requireAnswer(question: Question, answer: Answer): void {
  try {
    checkAnswer(question, answerForCodex(answer))
    const isAlways = answer === 'always'
    if (isAlways && !question.choices.some(({ word }) => word === 'always'))
      throw new TaskError('bad-answer', 'no rule can say this: answer once or session')
  } catch (error) {
    if (hasCode(error, 'bad-answer')) throw new TaskError('bad-answer', error.message, { cause: error })
    throw error
  }
}

function secretsAreNotKept(): TaskError {
  const message =
    'the worker that has the task is not running, and secret answers are not stored: answer when it is back'
  return new TaskError('worker-unreachable', message, { details: { isDone: false } })
}

function settledAlready(approval: Approval): TaskError {
  const { status, by, actor, why } = approval
  const who = actor ?? (by === 'rule' ? `rule ${approval.rule}` : 'nobody in time')
  const message =
    status === 'withdrawn' ? `the question no longer stands: ${why}` : `it was answered already, by ${who}`
  return new TaskError('approval-settled', message, { details: { approval } })
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason)
}
