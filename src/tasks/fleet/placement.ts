// Why a queued task has no worker yet, in a sentence.
import { stat } from 'node:fs/promises'
import {
  type Change,
  type Db,
  isRunning,
  type ListedWorker,
  listWorkers,
  unplacedTasks,
} from '../../store/index.ts'
import { changeStatus, queued } from '../log/index.ts'
import type { FleetOptions } from './fleet-options.ts'

/** A task that was queued just now may be claimed in a moment. */
const PATIENCE_MS = 2_000
const AT_ONCE = 100

type Unplaced = Awaited<ReturnType<typeof unplacedTasks>>[number]

/** Whether a new task is to run on this machine, as far as that is known before a worker claims it. */
export async function isForHere(
  { on, cwd }: { readonly on?: string | undefined; readonly cwd: string },
  { reader, self }: { reader: Db; self: Pick<FleetOptions, 'id' | 'name' | 'labels'> },
): Promise<boolean> {
  if (on !== undefined) return [self.id, self.name].includes(on)
  const running = (await listWorkers(reader)).filter(isRunning)
  return running.length <= 1 || isFolder(cwd)
}

/** In a change: every task that waits says what for, when that is another thing than before. */
export async function explainUnplaced(change: Change): Promise<void> {
  const { db, now } = change
  const tasks = await unplacedTasks(db, { queuedBefore: now - PATIENCE_MS, limit: AT_ONCE })
  if (tasks.length === 0) return
  const workers = await listWorkers(db)
  for (const task of tasks) {
    const reason = await whyUnplaced(task, workers)
    if (reason === null || reason === task.reason) continue
    const { more: _, ...status } = queued(now, { reason })
    await changeStatus(change, task.id, status)
  }
}

/** null: it could be claimed by a worker, and only waits for its turn. */
async function whyUnplaced(
  { wants, worker_id, cwd }: Unplaced,
  workers: readonly ListedWorker[],
): Promise<string | null> {
  const home = workers.find(({ id }) => id === worker_id)
  if (worker_id !== null && !(home && isRunning(home)))
    return `it waits for the worker ${home?.name ?? worker_id}, which has its thread and is not running`
  if (home)
    return home.state === 'draining' ? `it waits for the worker ${home.name}, which is draining` : null
  const running = workers.filter(isRunning)
  const fitting = running.filter((worker) => fits(worker, wants))
  if (wants !== null && fitting.length === 0) return `it waits for a worker with the name or label ${wants}`
  const taking = fitting.filter(({ state }) => state === 'up')
  if (taking.length === 0) return 'it waits for a worker: all that run are draining'
  const isBusy = taking.every(({ working, capacity }) => working >= capacity)
  if (isBusy) return null
  // Those with room would have taken it.
  return (await isFolder(cwd)) ? null : `it waits for a worker that has the folder ${cwd}`
}

async function isFolder(folder: string): Promise<boolean> {
  return (await stat(folder).catch(() => null))?.isDirectory() ?? false
}

function fits({ id, name, labels }: ListedWorker, wants: string | null): boolean {
  return wants === null || wants === id || wants === name || (JSON.parse(labels) as string[]).includes(wants)
}
