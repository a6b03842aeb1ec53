// The end of a turn, as one change: the task's status and answer, questions that no longer stand, who is told.
import { redactValue } from '../../codex/index.ts'
import {
  type Change,
  cancelledIn,
  type Db,
  forgetInputs,
  isAsyncRow,
  messageRows,
  messagesOfTurn,
  pendingApprovals,
  type StoredTask,
  taskRow,
  updateMessage,
} from '../../store/index.ts'
import type { Approvals } from '../approvals/index.ts'
import { changeStatus, queued, type StatusChange } from '../log/index.ts'
import { resultColumns } from '../model/index.ts'
import type { Run } from './run.ts'
import { type NextStatus, nextStatus, type Settled } from './settled.ts'
import { placeSteered } from './steered.ts'
import { idOf } from './turn-elsewhere.ts'
import { writeTurnRecord } from './turn-record.ts'
import { outputSchemaOf } from './turn-request.ts'

export interface TurnEndParts {
  readonly approvals: Pick<Approvals, 'withdrawAll' | 'elsewhere'>
  readonly announce: (change: Change, cause: 'ended' | 'limited' | 'lost', taskId: string) => Promise<void>
}

/** What counts of the run whose turn ends. */
type EndingRun = Pick<Run, 'taskId' | 'usage' | 'completed' | 'steering' | 'interruptedBy' | 'isHeldBack'> &
  Partial<Pick<Run, 'elsewhere'>>

/** null when the task is gone. */
export async function writeTurnEnd(
  change: Change,
  { run, settled }: { run: EndingRun; settled: Settled },
  parts: TurnEndParts,
): Promise<NextStatus | null> {
  const { taskId } = run
  const row = await taskRow(change.db, taskId)
  if (!row) return null
  const next = nextStatus(settled, {
    now: change.now,
    keepOpen: row.keep_open === 1,
    hasOutputSchema: await hasOutputSchema(change.db, row, settled.turnId),
    timeoutMs: row.timeout_ms,
    limitResumes: row.limit_resumes,
    interruptedBy: run.interruptedBy,
    cancelled: await cancelledIn(change.db, taskId, settled.turnId),
  })
  const { completed, steering } = run
  await placeSteered(change, {
    ...{ taskId, completed, steering },
    turnId: settled.turnId,
    status: settled.status,
  })
  const recorded = await writeTurnRecord(change, row, { settled, usage: run.usage })
  await settleMessages(change, row, settled)
  const status = await statusAfter(change, row, { next, isHeldBack: run.isHeldBack })
  await changeStatus(change, taskId, {
    ...status,
    more: { ...columnsOf(row, next), ...recorded, ...status.more },
  })
  const why = settled.status === 'lost' ? 'codex is gone' : 'its turn has ended'
  // Turns that were begun elsewhere and are yet to be taken up may ask already.
  const except = new Set(run.elsewhere?.map(idOf).filter((turnId) => turnId !== settled.turnId))
  await parts.approvals.withdrawAll(change, { taskId, why, isAsync: false, except })
  await parts.approvals.elsewhere.conclude(change, { taskId, except })
  if (status.status === next.status) await parts.announce(change, causeOf(next), taskId)
  return next
}

/** Of the message that began the turn; one that was begun elsewhere has none. */
async function hasOutputSchema(db: Db, row: StoredTask, turnId: string): Promise<boolean> {
  const [first] = await messagesOfTurn(db, row.id, turnId)
  return first !== undefined && outputSchemaOf(row, first) !== null
}

/** What codex has is no longer kept raw; what it has not is sent again when the task goes on. */
async function settleMessages({ db, now }: Change, row: StoredTask, settled: Settled): Promise<void> {
  const from = ['delivered']
  const messages = await messagesOfTurn(db, row.id, settled.turnId)
  for (const { id } of messages) {
    const isUnsaved = settled.unsaved?.includes(id) ?? false
    const columns = isUnsaved ? { status: 'queued', turn_id: null } : { input: null }
    await updateMessage(db, id, { from, ...columns, updated_at: now })
  }
  const newest = messages.at(-1)
  if (newest) await forgetInputs(db, row.id, { before: newest.created_at })
}

const STILL_LOST =
  'it was lost before another client had its turn: resume the task to send the messages that wait'

/** A message that waits is the next turn; a question in a message waits for its answer. */
async function statusAfter(
  { db, now }: Change,
  row: StoredTask,
  { next, isHeldBack }: { next: NextStatus; isHeldBack: boolean },
): Promise<StatusChange> {
  const own: StatusChange = { status: next.status, reason: next.reason, evidence: next.evidence }
  if (next.status === 'lost' || next.status === 'limited') return own
  const hasMessages = (await messageRows(db, row.id, ['queued'])).length > 0
  if (hasMessages && isHeldBack) return { ...own, status: 'lost', reason: STILL_LOST }
  if (hasMessages)
    return queued(now, { reason: 'the next message waits for its turn', evidence: next.evidence })
  const asked = (await pendingApprovals(db, row.id)).find(isAsyncRow)
  if (asked && (next.status === 'completed' || next.status === 'idle'))
    return {
      ...own,
      status: 'waiting',
      waitingFor: 'input',
      reason: asked.title,
      evidence: { approvals: [asked.id] },
    }
  return own
}

function columnsOf(row: StoredTask, next: NextStatus) {
  return {
    turn_id: null,
    ...(next.result && resultColumns(next.result)),
    failure: next.failure === null ? null : JSON.stringify(redactValue(next.failure)),
    limited_until: next.limitedUntil,
    // Getting somewhere makes earlier limits bygones.
    limit_resumes: next.status === 'limited' ? row.limit_resumes : 0,
  }
}

function causeOf({ status }: NextStatus): 'ended' | 'limited' | 'lost' {
  return status === 'limited' || status === 'lost' ? status : 'ended'
}
