// Turns that were given up while their worker was cut off, and that may have gone on there.
import { setTimeout as delay } from 'node:timers/promises'
import { hasCode, newestTurns, type protocol } from '../../codex/index.ts'
import { type EventLog, type StoredTask, updateTask } from '../../store/index.ts'
import { backoffMs } from '../../util/backoff.ts'
import type { Link, Links } from '../link/index.ts'

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
  const isEnded = await endTurn(orphan, links)
  await log.change(async ({ db, emit }) => {
    await updateTask(db, orphan.id, { orphan_turn: null })
    if (!isEnded) return
    const message =
      'its turn had gone on while its worker was cut off, after the task had ended: it was interrupted'
    emit(orphan.id, 'drawbridge/incident', { type: 'orphan-turn-ended', message })
  })
}

/** Whether it had to be ended. Rejects when the service stops first. */
export async function endTurn(
  orphan: Omit<Orphan, 'id'>,
  links: Pick<Links, 'byId' | 'signal'>,
): Promise<boolean> {
  const startedAt = performance.now()
  let isInterrupted = false
  let refusals = 0
  for (let tries = 0; ; tries++) {
    const link = links.byId(orphan.app_server_id)
    if (!link || orphan.thread_id === null) return isInterrupted
    const seen = await interruptRunning(orphan, link)
    if (seen === 'told') isInterrupted = true
    if (seen === 'refused') refusals++
    const mayBegin = orphan.orphan_turn === UNKNOWN_TURN && performance.now() - startedAt < MOMENT_MS
    const isOver = (seen === 'over' && (isInterrupted || !mayBegin)) || refusals >= MAX_REFUSALS
    if (isOver) return isInterrupted
    await delay(backoffMs(tries, RETRY), undefined, { signal: links.signal })
  }
}

/**
 * `told`: to end; the next look tells whether it has. `refused`: codex does not know that it runs. `silent`: codex does
 * not answer.
 */
async function interruptRunning(
  { thread_id, orphan_turn }: Omit<Orphan, 'id'>,
  link: Pick<Link, 'codex'>,
): Promise<'told' | 'refused' | 'over' | 'silent'> {
  const threadId = thread_id!
  try {
    const codex = await link.codex()
    const request: Request = (method, params, options) => codex.request(method, params, options)
    const running = (await newestTurns(request, threadId).catch(noThread)).find(
      ({ id, status }) => status === 'inProgress' && (orphan_turn === UNKNOWN_TURN || orphan_turn === id),
    )
    if (!running) return 'over'
    await codex.request('turn/interrupt', { threadId, turnId: running.id })
    return 'told'
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
