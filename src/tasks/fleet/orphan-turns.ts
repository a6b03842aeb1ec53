// Turns that were given up while their worker was cut off, and that may have gone on there.
import { setTimeout as delay } from 'node:timers/promises'
import { hasCode, newestTurns, type protocol } from '../../codex/index.ts'
import {
  type Change,
  type EventLog,
  isRecorded,
  type StoredTask,
  taskRow,
  updateTask,
} from '../../store/index.ts'
import { backoffMs } from '../../util/backoff.ts'
import { type Link, type Links, TokenMeter } from '../link/index.ts'
import { writeTurnRecord } from '../turns/index.ts'

type Orphan = Pick<StoredTask, 'id' | 'thread_id' | 'app_server_id' | 'orphan_turn'>

/** codex was being asked to begin it when the worker was gone. */
export const UNKNOWN_TURN = 'unknown'

/** A turn whose start was on its way when the connection ended can begin this much later. */
const MOMENT_MS = 3_000
/** What codex lists as running and refuses to end so often does not run. */
const MAX_REFUSALS = 5
const RETRY = { baseMs: 50, maxMs: 1_000, random: Math.random }

/**
 * Ends it if it still runs, and says so in the task's log. Resolves when it is certain that it does not run any more:
 * an app-server that does not answer is asked again for as long as it lives, and by the next start.
 */
export async function endOrphanTurn(
  orphan: Orphan,
  { links, log }: { links: Links; log: EventLog },
): Promise<void> {
  const turnId = await endTurn(orphan, links)
  await log.change(async (change) => {
    await updateTask(change.db, orphan.id, { orphan_turn: null })
    if (turnId === null) return
    await recordEnded(change, orphan.id, turnId)
    const message =
      'its turn had gone on while its worker was cut off, after the task had ended: it was interrupted'
    change.emit(orphan.id, 'drawbridge/incident', { type: 'orphan-turn-ended', message })
  })
}

/** In a change: one that was unknown is on record from here on, and is not taken for a turn that another client began. */
async function recordEnded(change: Change, taskId: string, turnId: string): Promise<void> {
  const row = await taskRow(change.db, taskId)
  if (!row || (await isRecorded(change.db, { taskId, turnId }))) return
  const settled = { turnId, status: 'interrupted' as const, text: null, failure: null, evidence: {} }
  await writeTurnRecord(change, row, { settled, usage: new TokenMeter() })
}

/** The turn that had to be ended; null: none. Rejects when the service stops first. */
export async function endTurn(
  orphan: Omit<Orphan, 'id'>,
  links: Pick<Links, 'byId' | 'signal'>,
): Promise<string | null> {
  const startedAt = performance.now()
  let interrupted: string | null = null
  let refusals = 0
  for (let tries = 0; ; tries++) {
    const link = links.byId(orphan.app_server_id)
    if (!link || orphan.thread_id === null) return interrupted
    const seen = await interruptRunning(orphan, link)
    if (typeof seen === 'object') interrupted = seen.told
    if (seen === 'refused') refusals++
    const mayBegin = orphan.orphan_turn === UNKNOWN_TURN && performance.now() - startedAt < MOMENT_MS
    const isOver = (seen === 'over' && (interrupted !== null || !mayBegin)) || refusals >= MAX_REFUSALS
    if (isOver) return interrupted
    await delay(backoffMs(tries, RETRY), undefined, { signal: links.signal })
  }
}

/**
 * `told`: the turn, to end; the next look tells whether it has. `refused`: codex does not know that it runs. `silent`: codex does
 * not answer.
 */
async function interruptRunning(
  { thread_id, orphan_turn }: Omit<Orphan, 'id'>,
  link: Pick<Link, 'codex'>,
): Promise<{ readonly told: string } | 'refused' | 'over' | 'silent'> {
  const threadId = thread_id!
  try {
    const codex = await link.codex()
    const request: Request = (method, params, options) => codex.request(method, params, options)
    const running = (await newestTurns(request, threadId).catch(noThread)).find(
      ({ id, status }) => status === 'inProgress' && (orphan_turn === UNKNOWN_TURN || orphan_turn === id),
    )
    if (!running) return 'over'
    await codex.request('turn/interrupt', { threadId, turnId: running.id })
    return { told: running.id }
  } catch (error) {
    return hasCode(error, 'rpc-error') ? 'refused' : 'silent'
  }
}

/** codex has no such thread, or nothing in it. */
function noThread(error: unknown): protocol.v2.Turn[] {
  if (hasCode(error, 'rpc-error', 'nothing-to-resume')) return []
  throw error
}

type Request = Parameters<typeof newestTurns>[0]
