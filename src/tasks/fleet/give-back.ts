// A machine without codex, or without a login, fails whatever it takes, at once, and so always has room for more. What it
// cannot start is left to another worker; it fails only when every one that could take it has refused.
import { isDrawbridgeError } from '../../codex/index.ts'
import {
  type Change,
  listWorkers,
  messageRow,
  type StoredMessage,
  type StoredTask,
} from '../../store/index.ts'
import { changeStatus, queued } from '../log/index.ts'
import type { FleetOptions } from './fleet-options.ts'
import { fits } from './placement.ts'

/** Nothing is wrong with the task, as far as this machine can tell. */
export function isOfMachine(error: unknown): error is Error {
  return isDrawbridgeError(error) && (error.code === 'not-logged-in' || error.code.startsWith('codex-'))
}

/** The workers that could not start a task. */
export function refusedBy({ evidence }: Pick<StoredTask, 'evidence'>): readonly string[] {
  return (JSON.parse(evidence) as { refusedBy?: readonly string[] }).refusedBy ?? []
}

/** In a change: false when no other worker could take it, or codex may have had its message. */
export async function giveBack(
  change: Change,
  { row, message }: { row: StoredTask; message: StoredMessage },
  { error, self }: { error: Error; self: Pick<FleetOptions, 'id' | 'name'> },
): Promise<boolean> {
  // Its thread is on this machine.
  if (row.thread_id !== null || row.fork_of !== null) return false
  const refused = [...refusedBy(row), self.id]
  const isLeft = (await listWorkers(change.db)).some(
    (worker) => worker.state === 'up' && fits(worker, row.wants) && !refused.includes(worker.id),
  )
  if (!isLeft || (await messageRow(change.db, message.id))?.status !== 'queued') return false
  const { more, ...status } = queued(row.queued_at ?? change.now, {
    reason: `the worker ${self.name} could not start it (${error.message}): it waits for another`,
    evidence: { refusedBy: refused },
  })
  await changeStatus(change, row.id, { ...status, more: { ...more, worker_id: null, lease_boot: null } })
  return true
}
