// Why a queued task has no worker yet, in a sentence.
import {
  type Db,
  type EventLog,
  isRunning,
  type ListedWorker,
  listWorkers,
  stillUnplaced,
  type UnplacedTask,
  unplacedTasks,
} from '../../store/index.ts'
import { changeStatus, queued } from '../log/index.ts'
import type { Evidence } from '../model/index.ts'
import type { FleetOptions } from './fleet-options.ts'
import { isFolder } from './is-folder.ts'

/** A task that was queued just now may be claimed in a moment. */
const PATIENCE_MS = 2_000
const AT_ONCE = 100

/** Whether a new task is to run on this machine, as far as that is known before a worker claims it. */
export async function isForHere(
  { on, cwd }: { readonly on?: string | undefined; readonly cwd: string },
  { reader, self }: { reader: Db; self: Pick<FleetOptions, 'id' | 'name' | 'labels'> },
): Promise<boolean> {
  if (on !== undefined) return [self.id, self.name].includes(on)
  const running = (await listWorkers(reader)).filter(isRunning)
  return running.length <= 1 || isFolder(cwd)
}

/** Every task that waits says what for, when that is another thing than before. */
export async function explainUnplaced({
  log,
  reader,
  now,
}: {
  readonly log: EventLog
  readonly reader: Db
  readonly now: number
}): Promise<void> {
  const tasks = await unplacedTasks(reader, { queuedBefore: now - PATIENCE_MS, limit: AT_ONCE })
  if (tasks.length === 0) return
  const workers = await listWorkers(reader)
  const reasons = new Map<string, { reason: string; evidence: Evidence }>()
  // Before the change: folders are looked at, and one on a mount that hangs must not hang the log.
  for (const task of tasks) {
    const reason = await whyUnplaced(task, workers)
    if (reason === null || reason === task.reason) continue
    reasons.set(task.id, { reason, evidence: JSON.parse(task.evidence) as Evidence })
  }
  if (reasons.size === 0) return
  await log.change(async (change) => {
    const ids = await stillUnplaced(change.db, [...reasons.keys()])
    for (const [taskId, why] of reasons) {
      if (!ids.has(taskId)) continue
      const { more: _, ...status } = queued(change.now, why)
      await changeStatus(change, taskId, status)
    }
  })
}

/** null: it could be claimed by a worker, and only waits for its turn. */
async function whyUnplaced(
  { wants, worker_id, cwd, thread_id, fork_of }: UnplacedTask,
  workers: readonly ListedWorker[],
): Promise<string | null> {
  const hasThread = thread_id !== null || fork_of !== null
  const home = hasThread ? workers.find(({ id }) => id === worker_id) : undefined
  if (hasThread && worker_id !== null && !(home && isRunning(home)))
    return `it waits for the worker ${home?.name ?? worker_id}, which has its thread and is not running`
  if (home)
    return home.state === 'draining' ? `it waits for the worker ${home.name}, which is draining` : null
  const running = workers.filter(isRunning)
  const fitting = running.filter((worker) => fits(worker, wants))
  if (wants !== null && fitting.length === 0) return `it waits for a worker with the name or label ${wants}`
  const taking = fitting.filter(({ state }) => state === 'up')
  if (taking.length === 0)
    return wants === null
      ? 'it waits for a worker: all that run are draining'
      : `it waits for a worker with the name or label ${wants}: all that run are draining`
  const isBusy = taking.every(({ working, capacity }) => working >= capacity)
  if (isBusy) return null
  // Those with room would have taken it.
  return (await isFolder(cwd)) ? null : `it waits for a worker that has the folder ${cwd}`
}

/** Whether a task may run there, by what it was asked for. */
export function fits({ id, name, labels }: ListedWorker, wants: string | null): boolean {
  return wants === null || wants === id || wants === name || (JSON.parse(labels) as string[]).includes(wants)
}
