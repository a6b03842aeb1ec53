// Turns that another client of the app-server began, such as codex's own terminal, or codex itself for a goal. They are
// turns of the task like any other: counted, watched, settled and told.
import type { protocol } from '../../codex/index.ts'
import {
  type Change,
  type Db,
  isRecorded,
  messageRows,
  type StoredTask,
  taskRow,
  updateMessage,
} from '../../store/index.ts'
import { turnWithMessage } from '../link/index.ts'
import { changeStatus, messageEvent, refreshWaiting } from '../log/index.ts'
import { policyHeard, widened, widenedText } from './policy-heard.ts'
import type { Run } from './run.ts'
import { type Settled, settledByHistory } from './settled.ts'
import type { Found } from './turn-watch.ts'

/** In a change: the task works on this turn. False: it has been settled before, or the task is gone. */
export async function noteTurnElsewhere(change: Change, run: Run, found: Found): Promise<boolean> {
  const { taskId } = run
  const turnId = idOf(found)
  const row = await taskRow(change.db, taskId)
  if (!row || (await isRecorded(change.db, { taskId, turnId }))) return false
  const heard = run.heard
  // One that is limited goes on by itself, and so do its messages.
  const isHeldBack = row.status === 'lost' && (await messageRows(change.db, taskId, ['queued'])).length > 0
  await changeStatus(change, taskId, {
    status: 'working',
    reason: 'codex works on it: the turn was begun in a codex terminal, by another client or by codex itself',
    evidence: { turnId, begunElsewhere: true },
    more: {
      ...{ turn_id: turnId, failure: null, queued_at: null, limited_until: null, archived_at: null },
      started_at: row.started_at ?? change.now,
      turn_count: row.turn_id === turnId ? row.turn_count : row.turn_count + 1,
      ...(heard && { effective_policy: JSON.stringify(policyHeard(row.effective_policy, heard)) }),
    },
  })
  if (heard) tellWidened(change, row, heard)
  // A question can arrive before this change.
  const { isWaiting } = await refreshWaiting(change, taskId)
  change.after(() => {
    run.beganAt = change.now
    run.isHeldBack = isHeldBack
    run.mayBeChanged = true
    run.pause(isWaiting)
    // The limit is one of each turn of the task, whoever begins it.
    if ('turn' in found && row.timeout_ms !== null)
      found.turn.limit({ timeoutMs: row.timeout_ms, hasOutputSchema: false })
  })
  return true
}

function tellWidened(change: Change, row: StoredTask, heard: NonNullable<Run['heard']>): void {
  const fields = widened(JSON.parse(row.policy), heard)
  if (fields.length === 0) return
  change.emit(row.id, 'drawbridge/incident', { type: 'policy-differs', message: widenedText(fields) })
}

/** Turns that have ended in a thread's history and were not settled, oldest first. `turns` is newest first. */
export async function unsettledIn(
  db: Db,
  row: StoredTask,
  { turns, after }: { turns: readonly protocol.v2.Turn[]; after: string | null },
): Promise<Settled[]> {
  const unsettled: Settled[] = []
  for (const turn of turns) {
    if (turn.id === after || (await isSettled(db, row, turn))) break
    if (isEmpty(turn)) continue
    const settled = settledByHistory(turn)
    if (settled) unsettled.unshift(settled)
  }
  return unsettled
}

/** Codex died, or was stopped, before anything came of it: a message that was meant for it goes into another. */
function isEmpty({ status, items }: protocol.v2.Turn): boolean {
  return status === 'interrupted' && Array.isArray(items) && items.length === 0
}

/**
 * In a change: messages that a lost task keeps for a resume, and that codex has had in one of these unsettled turns after
 * all. Sent again, they would be done twice.
 */
export async function placeKept(
  change: Change,
  row: StoredTask,
  { turns, unsettled }: { turns: readonly protocol.v2.Turn[]; unsettled: readonly string[] },
): Promise<void> {
  if (row.status !== 'lost') return
  for (const message of await messageRows(change.db, row.id, ['queued'])) {
    const turnId = turnWithMessage(turns, message)?.id
    if (turnId === undefined || !unsettled.includes(turnId)) continue
    const columns = { status: 'delivered', turn_id: turnId, updated_at: change.now } as const
    await updateMessage(change.db, message.id, { from: ['queued'], ...columns })
    change.emit(row.id, 'drawbridge/message', messageEvent(message, { status: 'delivered', turnId }))
  }
}

/** The history of a fork begins with the turns of another task. Codex tells their time in whole seconds. */
async function isSettled(
  db: Db,
  row: StoredTask,
  { id: turnId, startedAt }: protocol.v2.Turn,
): Promise<boolean> {
  const { id, fork_of, forked_from, created_at } = row
  if (await isRecorded(db, { taskId: id, turnId })) return true
  if (fork_of === null) return false
  const isOlder = typeof startedAt !== 'number' || (startedAt + 1) * 1_000 <= created_at
  return isOlder || (forked_from !== null && isRecorded(db, { taskId: forked_from, turnId }))
}

export function idOf(found: Found): string {
  return 'turn' in found ? found.turn.id : found.settled.turnId
}
