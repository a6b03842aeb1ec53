// After the service was gone: every task that was at work is found again, and everything that waited waits again.
import { hasCode, type protocol, toFailure } from '../codex/index.ts'
import {
  isHeld,
  messageRows,
  messagesOfTurn,
  type StoredMessage,
  type StoredTask,
  type TaskStatus,
  taskRow,
  taskRowsByStatus,
  tasksWithMessages,
  updateMessage,
} from '../store/index.ts'
import {
  type Attached,
  type AttachParts,
  attach,
  type History,
  lookAfterDeath,
  settledAfterDeath,
  takeIn,
} from './attach.ts'
import { turnWithMessage } from './history.ts'
import type { Link } from './links.ts'
import { messageEvent } from './message-event.ts'
import type { Run } from './run.ts'
import type { Runs } from './runs.ts'
import type { Settled } from './settled.ts'
import { placeLate } from './steered.ts'
import { changeStatus, queued, refreshWaiting } from './task-status.ts'
import type { Found } from './turn-watch.ts'

export interface RecoveryParts extends AttachParts {
  readonly runs: Runs
}

/** So many threads are opened at once. */
const PARALLEL = 8

export async function recoverAll(parts: RecoveryParts): Promise<void> {
  const { log, runs } = parts
  const atWork = await log.change(({ db }) => taskRowsByStatus(db, ['starting', 'working', 'waiting']))
  const queue = atWork.filter((row) => row.turn_id !== null || row.status === 'starting')
  const limited = await log.change(({ db }) => taskRowsByStatus(db, ['limited']))
  for (const row of limited) if (row.limited_until !== null) runs.limit(row, row.limited_until)
  const workers = Array.from({ length: PARALLEL }, async () => {
    for (let row = queue.shift(); row; row = queue.shift()) await recover(row, parts)
  })
  await Promise.all(workers)
  // In the order they came in, after those that were at work.
  const waiting = new Set(await log.change(({ db }) => tasksWithMessages(db, ['queued', 'sending'])))
  for (const row of await log.change(({ db }) => taskRowsByStatus(db, ['queued'])))
    if (waiting.has(row.id)) runs.wake(row.id)
    else await loseMessage(row, parts)
  for (const taskId of waiting) {
    const row = await log.change(({ db }) => taskRow(db, taskId))
    if (row && !runs.get(taskId)?.isDriven && !isHeld(row.status as TaskStatus)) await recover(row, parts)
  }
}

/**
 * Finds a task's turn again, or puts it back in the queue when codex never had it. Whether a turn is watched then. What
 * goes wrong on the way costs this task, not the service.
 */
export async function recover(row: StoredTask, parts: RecoveryParts): Promise<boolean> {
  try {
    return await findAgain(row, parts)
  } catch (error) {
    const turnId = row.turn_id ?? UNKNOWN_TURN
    const failure = toFailure(error)
    const settled: Settled = {
      turnId,
      status: 'lost',
      text: null,
      failure,
      evidence: { error: String(error) },
    }
    parts.runs.resumeWatching(parts.runs.runOf(row.id), { settled })
    return true
  }
}

async function findAgain(row: StoredTask, parts: RecoveryParts): Promise<boolean> {
  const { runs, links } = parts
  const run = runs.runOf(row.id)
  if (row.thread_id === null) return requeue(row, parts)
  const link = links.byId(row.app_server_id)
  const { attached, history } = await see(run, row, { link, parts })
  const turnId = await placeMessages(run, row, history, parts)
  if (turnId === null) return requeue(row, parts)
  runs.resumeWatching(run, await foundTurn(run, row, { turnId, link, attached, history }, parts))
  return true
}

async function foundTurn(
  run: Run,
  row: StoredTask,
  { turnId, link, attached, history }: Seen & { turnId: string; link: Link | null },
  { runs, log }: RecoveryParts,
): Promise<Found> {
  const found = attached && (await runs.watch.foundIn(attached, row, turnId))
  if (found) return found
  if (link?.appServer.isAlive() && turnId !== UNKNOWN_TURN)
    return runs.watch.find(run, turnId, { link, attaches: 0 })
  const messages = await log.change(({ db }) => messagesOfTurn(db, row.id, turnId))
  return { settled: await settledAfterDeath(turnId, { history, messages }, null) }
}

/** The thread where it is loaded, else what codex had written down of it. */
async function see(
  run: Run,
  row: StoredTask,
  { link, parts }: { link: Link | null; parts: RecoveryParts },
): Promise<Seen> {
  try {
    if (!link?.appServer.outlivesUs) return { attached: null, history: await lookAfterDeath(run, row, parts) }
    const attached = await attach(run, row, { link, parts })
    return { attached, history: { turns: attached.turns, isKnown: true, note: '' } }
  } catch (error) {
    const isGone = !link?.appServer.isAlive() || hasCode(error, 'nothing-to-resume')
    if (isGone) return { attached: null, history: await lookAfterDeath(run, row, parts) }
    const note = `codex lives but does not let us at the thread: ${error instanceof Error ? error.message : error}`
    return { attached: null, history: { turns: [], isKnown: false, note } }
  }
}

interface Seen {
  readonly history: History
  /** null: its app-server is gone. */
  readonly attached: Attached | null
}

/** Messages that codex may or may not have got. Returns the turn that runs or ran last; null when there was none. */
async function placeMessages(
  run: Run,
  row: StoredTask,
  { turns, isKnown }: History,
  parts: RecoveryParts,
): Promise<string | null> {
  let turnId = row.turn_id
  const sending = await parts.log.change(({ db }) => messageRows(db, row.id, ['sending']))
  await placeSteers(row, sending, parts)
  for (const message of sending.filter(({ mode }) => mode === 'queue')) {
    const turn = turnWithMessage(turns, message)
    if (turn) {
      await delivered(row, message, { turnId: turn.id, parts })
      if (turnId === null) takeIn(run, turns, { sinceTurnId: turn.id, threadId: row.thread_id!, parts })
      if (turnId === null || isNewer(turn.id, turnId, turns)) turnId = turn.id
    } else if (isKnown) await backToQueue(message, parts)
    else {
      // Nobody can tell whether codex has it, so it must not be sent again without being asked.
      await delivered(row, message, { turnId: UNKNOWN_TURN, parts })
      turnId ??= UNKNOWN_TURN
    }
  }
  return turnId
}

const UNKNOWN_TURN = 'unknown'

/** Those on their way into a turn that runs are placed when it ends. */
async function placeSteers(
  row: StoredTask,
  sending: readonly StoredMessage[],
  { log }: RecoveryParts,
): Promise<void> {
  await log.change(async (change) => {
    for (const message of sending)
      if (message.mode === 'steer' && (row.turn_id === null || message.turn_id !== row.turn_id))
        await placeLate(change, message)
  })
}

function isNewer(turnId: string, than: string, turns: readonly protocol.v2.Turn[]): boolean {
  const place = (id: string) => turns.findIndex((turn) => turn.id === id)
  return place(turnId) !== -1 && place(turnId) < place(than)
}

async function delivered(
  row: StoredTask,
  message: StoredMessage,
  { turnId, parts }: { turnId: string; parts: RecoveryParts },
): Promise<void> {
  const { log } = parts
  await log.change(async (change) => {
    const columns = { status: 'delivered', turn_id: turnId, updated_at: change.now }
    await updateMessage(change.db, message.id, { from: ['sending'], ...columns })
    change.emit(row.id, 'drawbridge/message', messageEvent(message, { status: 'delivered', turnId }))
    if (row.turn_id === turnId) return
    await changeStatus(change, row.id, {
      status: 'working',
      reason: 'codex works on it',
      evidence: { turnId, foundIn: 'the history of the thread' },
      more: { turn_id: turnId, turn_count: row.turn_count + 1 },
    })
    await refreshWaiting(change, row.id)
  })
}

async function backToQueue(message: StoredMessage, { log }: RecoveryParts): Promise<void> {
  await log.change(({ db, now }) =>
    updateMessage(db, message.id, { from: ['sending'], status: 'queued', updated_at: now }),
  )
}

/** Only the repair of a damaged database loses or cancels it. */
async function loseMessage({ id }: StoredTask, { log }: RecoveryParts): Promise<void> {
  await log.change((change) =>
    changeStatus(change, id, {
      status: 'failed',
      reason: 'its message is no longer queued, because the database was repaired: resume the task to run it',
      more: { queued_at: null },
    }),
  )
}

async function requeue(row: StoredTask, parts: RecoveryParts): Promise<false> {
  const { log, runs } = parts
  await log.change(async (change) => {
    for (const message of await messageRows(change.db, row.id, ['sending']))
      await updateMessage(change.db, message.id, {
        from: ['sending'],
        status: 'queued',
        turn_id: null,
        updated_at: change.now,
      })
    const waiting = await messageRows(change.db, row.id, ['queued'])
    if (row.status === 'queued' || waiting.length === 0) return
    const again = queued(row.queued_at ?? row.created_at, {
      reason: 'codex has not had it yet: it is tried again',
    })
    await changeStatus(change, row.id, { ...again, more: { ...again.more, turn_id: null } })
  })
  runs.wake(row.id)
  return false
}
