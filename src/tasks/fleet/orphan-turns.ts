// Turns that were given up while their worker was cut off, and that may have gone on there.
import { newestTurns, type protocol } from '../../codex/index.ts'
import { type EventLog, type StoredTask, updateTask } from '../../store/index.ts'
import type { Links } from '../link/index.ts'

type Orphan = Pick<StoredTask, 'id' | 'thread_id' | 'app_server_id' | 'orphan_turn'>

/** codex was being asked to begin it when the worker was gone. */
export const UNKNOWN_TURN = 'unknown'

/** Ends it if it still runs, and says so in the task's log. */
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

/** False: it does not run any more. */
async function endTurn({ thread_id, app_server_id, orphan_turn }: Orphan, links: Links): Promise<boolean> {
  const link = links.byId(app_server_id)
  if (!link || thread_id === null) return false
  try {
    const codex = await link.codex()
    const request: Request = (method, params, options) => codex.request(method, params, options)
    const turnId = orphan_turn === UNKNOWN_TURN ? await runningTurn(request, thread_id) : orphan_turn
    if (turnId === null) return false
    await codex.request('turn/interrupt', { threadId: thread_id, turnId })
    return true
  } catch {
    return false
  }
}

type Request = Parameters<typeof newestTurns>[0]

async function runningTurn(request: Request, threadId: string): Promise<string | null> {
  const turns: readonly protocol.v2.Turn[] = await newestTurns(request, threadId)
  return turns.find(({ status }) => status === 'inProgress')?.id ?? null
}
