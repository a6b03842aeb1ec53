// Finds the turn of one task again: after the service was gone, and after a start over a connection that broke.
import { hasCode, type protocol, toFailure } from '../../codex/index.ts'
import {
  messageRows,
  messagesOfTurn,
  type StoredMessage,
  type StoredTask,
  updateMessage,
} from '../../store/index.ts'
import { type Link, turnWithMessage } from '../link/index.ts'
import { changeStatus, messageEvent, queued, refreshWaiting } from '../log/index.ts'
import {
  type Attached,
  type AttachParts,
  attach,
  type History,
  lookAfterDeath,
  rememberTurn,
  settledAfterDeath,
  takeIn,
} from './attach.ts'
import type { Run } from './run.ts'
import { placeLate } from './steered.ts'
import { LOOK, REST, type Step } from './step.ts'
import { unsettledIn } from './turn-elsewhere.ts'
import type { Found, TurnWatch } from './turn-watch.ts'
import { queueAgain } from './undelivered.ts'

export interface RecoveryParts extends AttachParts {
  readonly watch: Pick<TurnWatch, 'find' | 'foundIn'>
}

/**
 * Finds a task's turn again, or puts it back in the queue when codex never had it. What goes wrong on the way costs this
 * task, not the service.
 */
export async function recover(run: Run, row: StoredTask, parts: RecoveryParts): Promise<Step> {
  try {
    return await findAgain(run, row, parts)
  } catch (error) {
    // What cannot be looked at because the service stops is found by the next start.
    if (parts.links.signal.aborted) return REST
    const turnId = row.turn_id ?? UNKNOWN_TURN
    const failure = toFailure(error)
    const evidence = { error: String(error) }
    return { do: 'watch', found: { settled: { turnId, status: 'lost', text: null, failure, evidence } } }
  }
}

async function findAgain(run: Run, row: StoredTask, parts: RecoveryParts): Promise<Step> {
  if (row.thread_id === null) return requeue(row, parts)
  const link = parts.links.byId(row.app_server_id)
  const { attached, history } = await see(run, row, { link, parts })
  parts.links.signal.throwIfAborted()
  const turnId = await placeMessages(run, row, history, parts)
  // Others may have begun since: they come after the one that was watched.
  const later = await parts.log.change(({ db }) =>
    unsettledIn(db, row, { turns: history.turns, after: turnId }),
  )
  run.noteElsewhere(later.map((settled) => ({ settled })))
  if (turnId === null) return requeue(row, parts)
  const found = await foundTurn(run, row, { turnId, link, attached, history }, parts)
  parts.links.signal.throwIfAborted()
  return { do: 'watch', found }
}

async function foundTurn(
  run: Run,
  row: StoredTask,
  { turnId, link, attached, history }: Seen & { turnId: string; link: Link | null },
  { watch, log }: RecoveryParts,
): Promise<Found> {
  const found = attached && (await watch.foundIn(attached, row, turnId))
  if (found) return found
  if (link?.appServer.isAlive() && turnId !== UNKNOWN_TURN)
    return watch.find(run, turnId, { link, attaches: 0 })
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
      if (turnId === null) {
        await rememberTurn(run, turn.id, parts.log)
        takeIn(run, turns, { sinceTurnId: turn.id, threadId: row.thread_id!, parts })
      }
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

async function requeue(row: StoredTask, { log }: RecoveryParts): Promise<Step> {
  await log.change(async (change) => {
    for (const message of await messageRows(change.db, row.id, ['sending']))
      await updateMessage(change.db, message.id, {
        from: ['sending'],
        status: 'queued',
        turn_id: null,
        updated_at: change.now,
      })
    const waiting = await messageRows(change.db, row.id, ['queued'])
    if (row.status === 'queued' || (waiting.length === 0 && row.status !== 'starting')) return
    const again = queued(row.queued_at ?? row.created_at, {
      reason: 'codex has not had it yet: it is tried again',
    })
    await queueAgain(change, row.id, { ...again, more: { ...again.more, turn_id: null } })
  })
  return LOOK
}
