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
import type { Evidence, HostDirectory, StartTask } from '../model/index.ts'
import type { FleetOptions } from './fleet-options.ts'
import { lackOf, lackText } from './places.ts'

/** A task that was queued just now may be claimed in a moment. */
const PATIENCE_MS = 2_000
const AT_ONCE = 100

/** Whether a new task is to run on this machine, as far as that is known before a worker claims it. */
export async function isForHere(
  { on, cwd, codexHome, codexPath, host }: Placed,
  {
    reader,
    self,
    hosts,
  }: { reader: Db; self: Pick<FleetOptions, 'id' | 'name' | 'labels'>; hosts: HostDirectory },
): Promise<boolean> {
  if (on !== undefined) return [self.id, self.name].includes(on)
  const running = (await listWorkers(reader)).filter(isRunning)
  if (running.length <= 1) return true
  const places = { cwd, codex_home: codexHome ?? null, codex_path: codexPath ?? null, host: host ?? null }
  return (await lackOf(places, hosts)) === null
}

type Placed = Pick<StartTask, 'on' | 'cwd' | 'codexHome' | 'codexPath' | 'host'>

/** Every task that waits says what for, when that is another thing than before. */
export async function explainUnplaced({
  log,
  reader,
  now,
  self,
  hosts,
}: {
  readonly log: EventLog
  readonly reader: Db
  readonly hosts: HostDirectory
  readonly now: number
  /** The id of this worker. */
  readonly self: string
}): Promise<void> {
  const tasks = await unplacedTasks(reader, { queuedBefore: now - PATIENCE_MS, limit: AT_ONCE })
  if (tasks.length === 0) return
  const workers = await listWorkers(reader)
  const reasons = new Map<string, { reason: string; evidence: Evidence }>()
  // Before the change: folders are looked at, and one on a mount that hangs must not hang the log.
  for (const task of tasks) {
    const why = await whyUnplaced(task, { workers, self, hosts })
    if (why === null || why.reason === task.reason) continue
    const evidence = { ...(JSON.parse(task.evidence) as Evidence), ...why.evidence }
    reasons.set(task.id, { reason: why.reason, evidence })
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

interface Known {
  readonly self: string
  readonly hosts: HostDirectory
}

interface Why {
  readonly reason: string
  readonly evidence?: Evidence
}

/** null: it could be claimed by a worker, and only waits for its turn, or another worker says what it lacks. */
async function whyUnplaced(
  task: UnplacedTask,
  { workers, ...known }: Known & { workers: readonly ListedWorker[] },
): Promise<Why | null> {
  const { wants, worker_id, thread_id, fork_of } = task
  const hasThread = thread_id !== null || fork_of !== null
  const home = hasThread ? workers.find(({ id }) => id === worker_id) : undefined
  if (hasThread && worker_id !== null && !(home && isRunning(home)))
    return {
      reason: `it waits for the worker ${home?.name ?? worker_id}, which has its thread and is not running`,
    }
  if (home?.state === 'draining') return { reason: `it waits for the worker ${home.name}, which is draining` }
  const fitting = home ? [home] : workers.filter((worker) => isRunning(worker) && fits(worker, wants))
  if (fitting.length === 0 && wants !== null)
    return { reason: `it waits for a worker with the name or label ${wants}` }
  const taking = fitting.filter(({ state }) => state === 'up')
  if (taking.length === 0) {
    const which = wants === null ? 'a worker' : `a worker with the name or label ${wants}`
    return { reason: `it waits for ${which}: all that run are draining` }
  }
  // Those with room would have taken it.
  const isBusy = taking.every(({ working, capacity }) => working >= capacity)
  return isBusy ? null : whatIsLacking(task, { taking, ...known })
}

/** Only a worker that may run it can tell. Of several each may lack another thing: the first to say so goes on saying it. */
async function whatIsLacking(
  task: UnplacedTask,
  { taking, self, hosts }: Known & { taking: readonly ListedWorker[] },
): Promise<Why | null> {
  const { lackedBy = self } = JSON.parse(task.evidence) as { lackedBy?: string }
  const teller = taking.some(({ id }) => id === lackedBy) ? lackedBy : self
  if (teller !== self || !taking.some(({ id }) => id === self)) return null
  const lack = await lackOf(task, hosts)
  return lack && { reason: lackText(lack), evidence: { lackedBy: self } }
}

/** Whether a task may run there, by what it was asked for. */
export function fits({ id, name, labels }: ListedWorker, wants: string | null): boolean {
  return wants === null || wants === id || wants === name || (JSON.parse(labels) as string[]).includes(wants)
}
