import { isDrawbridgeError } from '../../codex/index.ts'
import type { EventLog, StoredMessage, StoredTask } from '../../store/index.ts'
import { accountOf } from '../link/index.ts'
import { queued } from '../log/index.ts'
import type { Scheduler } from './scheduler.ts'
import { queueAgain } from './undelivered.ts'

/** Why codex may not be had for a while, though nothing is wrong with the task. */
const WAITED_FOR = {
  'too-many-app-servers': 'codex cannot be started now: ',
  'app-server-in-place': '',
  'account-busy': '',
}
const WAIT_MS = 5_000

/** Codex cannot be had for a while, through no fault of the task: it goes back to its place in the queue. False: it failed. */
export async function waitForCodex(
  { row, message }: { row: StoredTask; message: StoredMessage },
  error: unknown,
  { log, now, scheduler }: { log: EventLog; now: () => number; scheduler: Scheduler },
): Promise<boolean> {
  const isForAWhile = isDrawbridgeError(error) && error.retryable && error.code in WAITED_FOR
  if (!isForAWhile || message.status !== 'queued') return false
  const { retryAfterMs = WAIT_MS, retryAt = now() + retryAfterMs } = error as {
    retryAt?: number
    retryAfterMs?: number
  }
  const why = `${WAITED_FOR[error.code as keyof typeof WAITED_FOR]}${error.message}`
  await log.change((change) =>
    queueAgain(change, row.id, queued(row.queued_at ?? change.now, { reason: why })),
  )
  scheduler.hold(accountOf(row), { until: retryAt, why })
  return true
}
