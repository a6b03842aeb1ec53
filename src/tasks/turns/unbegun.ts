// A start that codex did not answer: nothing has begun, so the task goes back to the queue with the reason, a few times.
import { hasCode, isThreadGone } from '../../codex/index.ts'
import { type EventLog, type StoredMessage, type StoredTask, updateMessage } from '../../store/index.ts'
import { StaleLoginError } from '../link/index.ts'
import { queued } from '../log/index.ts'
import { queueAgain } from './undelivered.ts'

/** How long a task waits before its next start; after the last one it fails. */
const WAITS_MS = [1_000, 5_000, 15_000] as const
const MAX_STARTS = WAITS_MS.length + 1

/** Codex has certainly not begun the turn. `turn/start` without a reply may have: only the history can tell. */
function isUnbegun(error: unknown): boolean {
  if (hasCode(error, 'request-timeout')) return error.method !== 'turn/start'
  return (
    isThreadGone(error) ||
    error instanceof StaleLoginError ||
    (hasCode(error, 'rpc-error') && error.retryable)
  )
}

/** Puts it back, and says how long it waits; null when the error, or the number of starts, makes it a failure. */
export async function requeueUnbegun(
  { row, message }: { row: StoredTask; message: StoredMessage },
  { error, starts }: { error: unknown; starts: number },
  { log }: { log: EventLog },
): Promise<number | null> {
  const waitMs = WAITS_MS[starts - 1]
  if (waitMs === undefined || !isUnbegun(error)) return null
  const why = (error as Error).message
  await log.change(async (change) => {
    await updateMessage(change.db, message.id, {
      from: ['sending'],
      status: 'queued',
      updated_at: change.now,
    })
    const reason = `${why}. It has not begun and is tried again (${starts + 1} of ${MAX_STARTS})`
    const evidence = { starts, error: why }
    await queueAgain(change, row.id, queued(row.queued_at ?? change.now, { reason, evidence }))
  })
  return waitMs
}
