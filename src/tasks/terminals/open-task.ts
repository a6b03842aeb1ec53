// A task that begins in a terminal: no prompt, an open thread, and the policy that every task has.
import path from 'node:path'
import { deleteTask, type EventLog, insertTask, type StoredTask, taskRow } from '../../store/index.ts'
import { checkTargets, newTask, type TargetParts } from '../intake/index.ts'
import type { OpenTask, TaskTools } from '../model/index.ts'
import type { Runs } from '../turns/index.ts'

export interface OpenTaskParts extends TargetParts {
  readonly log: EventLog
  readonly runs: Pick<Runs, 'openThread' | 'forget'>
  readonly now: () => number
  readonly defaultNotify: readonly string[]
  /** What a new task gets of the host's tools. Throws for one that cannot be had. */
  readonly toolsFor: TaskTools['namesFor']
  /** This worker on a shared store; null where nobody else uses it. */
  readonly workerId: string | null
  /** Makes the task this service's own. */
  readonly adopt: (row: StoredTask) => Promise<boolean>
}

/** The id of the task. Nothing of it stays when its thread cannot be opened. */
export async function openTask(request: OpenTask, parts: OpenTaskParts): Promise<string> {
  const { log, runs, now, defaultNotify, workerId, adopt } = parts
  const title = request.title ?? `Terminal in ${path.basename(request.cwd) || request.cwd}`
  const asked = { ...request, prompt: '', title, keepOpen: true }
  checkTargets(request.notify ?? [], parts)
  const tools = parts.toolsFor({ tools: [], labels: request.labels ?? [], isHere: true })
  const { task, labels } = newTask(asked, { now: now(), defaultNotify, tools })
  const reason = 'it was opened for a terminal and waits for a message'
  const row = await log.change(async (change) => {
    const idle = { ...task, status: 'idle', reason, queued_at: null, worker_id: workerId }
    await insertTask(change.db, idle, labels)
    change.emit(task.id, 'drawbridge/task', { status: 'idle', waitingFor: null, reason, evidence: {} })
    return (await taskRow(change.db, task.id))!
  })
  try {
    await adopt(row)
    await runs.openThread(row)
    return task.id
  } catch (error) {
    runs.forget(task.id)
    await log.change(({ db }) => deleteTask(db, task.id))
    throw error
  }
}
