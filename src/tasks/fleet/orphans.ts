// Tasks whose worker is gone in the middle of a turn: what is said of them, and what becomes of a turn that went on
// without anybody to see it.
import {
  type Change,
  messageRows,
  type OrphanedTask,
  orphanedTasks,
  type StoredTask,
  taskRow,
  updateMessage,
  updateTask,
} from '../../store/index.ts'
import { TokenMeter } from '../link/index.ts'
import { changeStatus, messageEvent, refreshWaiting } from '../log/index.ts'
import { timeText } from '../model/index.ts'
import { type Settled, type TurnEndParts, writeTurnEnd } from '../turns/index.ts'
import { UNKNOWN_TURN } from './orphan-turns.ts'

/** A worker that was stopped comes back sooner, if it was only restarted. */
const RESTART_MS = 60_000
const AT_ONCE = 50

/** In a change: says of each that its worker is gone, and ends those that are not to wait for it. Returns how many. */
export async function settleOrphans(change: Change, parts: TurnEndParts): Promise<number> {
  const orphans = await orphanedTasks(change.db, { graceMs: RESTART_MS, limit: AT_ONCE })
  for (const orphan of orphans)
    if (orphan.on_lost === 'fail') await endOrphan(change, orphan, { settled: lost(orphan), parts })
    else await waitForWorker(change, orphan)
  return orphans.length
}

async function waitForWorker(change: Change, orphan: OrphanedTask): Promise<void> {
  await changeStatus(change, orphan.id, {
    status: 'waiting',
    waitingFor: 'worker',
    reason: `${whatHappened(orphan)}: it goes on when that is back`,
    evidence: evidenceOf(orphan),
  })
}

function lost(orphan: OrphanedTask): Settled {
  return {
    turnId: orphan.turn_id ?? '',
    status: 'lost',
    text: null,
    failure: null,
    reason: whatHappened(orphan),
    evidence: evidenceOf(orphan),
  }
}

function whatHappened({ worker_name, worker_machine, worker_state, worker_beat_at }: OrphanedTask): string {
  const where = worker_machine === worker_name ? worker_name : `${worker_name} on ${worker_machine}`
  const since = timeText(worker_beat_at)
  return worker_state === 'lost'
    ? `its worker ${where} has not been heard of since ${since}`
    : `its worker ${where} was stopped at ${since}`
}

function evidenceOf({ turn_id, worker_id, worker_name, worker_machine, worker_beat_at }: OrphanedTask) {
  return {
    turnId: turn_id,
    worker: { id: worker_id, name: worker_name, machine: worker_machine },
    lastHeardAt: worker_beat_at,
  }
}

/** In a change: ends a task whose turn nobody here can see. If it still runs, its worker ends it when that is back. */
export async function endOrphan(
  change: Change,
  row: StoredTask,
  { settled, parts, by = null }: { settled: Settled; parts: TurnEndParts; by?: string | null },
): Promise<void> {
  const run = {
    taskId: row.id,
    usage: new TokenMeter(),
    completed: new Set<string>(),
    steering: new Set<string>(),
    interruptedBy: by,
    isHeldBack: false,
  }
  const isUnknown = row.turn_id === null && (await settleStart(change, row.id, { isTakenBack: by !== null }))
  await writeTurnEnd(change, { run, settled }, parts)
  await updateTask(change.db, row.id, { orphan_turn: row.turn_id ?? (isUnknown ? UNKNOWN_TURN : null) })
}

/**
 * In a change: the message whose turn was about to begin. What is not taken back is kept for a resume. Returns whether
 * codex may have it.
 */
async function settleStart(
  change: Change,
  taskId: string,
  { isTakenBack }: { isTakenBack: boolean },
): Promise<boolean> {
  const [message] = (await messageRows(change.db, taskId, ['sending', 'queued'])).filter(
    ({ mode }) => mode === 'queue',
  )
  if (!message) return false
  const status = isTakenBack ? 'cancelled' : 'queued'
  const columns = { status, turn_id: null, updated_at: change.now }
  await updateMessage(change.db, message.id, { from: [message.status], ...columns })
  if (isTakenBack) change.emit(taskId, 'drawbridge/message', messageEvent(message, { status, turnId: null }))
  return message.status === 'sending'
}

/** In a change: the worker is back, and looks for the turns of its tasks. */
export async function takeUpOrphan(change: Change, taskId: string): Promise<void> {
  const row = await taskRow(change.db, taskId)
  if (row?.waiting_for !== 'worker') return
  const reason = 'its worker is back, and looks for the turn'
  await changeStatus(change, taskId, { status: row.turn_id === null ? 'starting' : 'working', reason })
  await refreshWaiting(change, taskId)
}
