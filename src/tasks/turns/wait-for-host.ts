import { hasCode } from '../../codex/index.ts'
import { type EventLog, type StoredMessage, type StoredTask, updateMessage } from '../../store/index.ts'
import { queued } from '../log/index.ts'
import { queueAgain } from './undelivered.ts'

/** How long a task waits before its host is tried again. */
const WAITS_MS = [2_000, 5_000, 15_000, 30_000] as const
const LONGEST_MS = 60_000

/**
 * The machine of a task is away, through no fault of the task: it goes back to its place in the queue, says what it waits
 * for, and is tried again after so many milliseconds. null: the error is another.
 */
export async function waitForHost(
  { row, message }: { row: StoredTask; message: StoredMessage },
  { error, tries }: { error: unknown; tries: number },
  { log }: { log: EventLog },
): Promise<number | null> {
  if (!hasCode(error, 'host-unreachable')) return null
  const { cause } = error
  const reason = `it waits for host ${row.host}: ${cause instanceof Error ? cause.message : error.message}`
  const evidence = { host: row.host, tries: tries + 1 }
  await log.change(async (change) => {
    const back = { status: 'queued', updated_at: change.now }
    await updateMessage(change.db, message.id, { from: ['sending'], ...back })
    await queueAgain(change, row.id, queued(row.queued_at ?? change.now, { reason, evidence }))
  })
  return WAITS_MS[tries] ?? LONGEST_MS
}
