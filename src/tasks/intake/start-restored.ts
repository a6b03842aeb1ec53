// A task that goes on where a snapshot ends.
import { redact } from '../../codex/index.ts'
import { type EventLog, insertTask, type TaskInsert, type TaskStatus, taskRow } from '../../store/index.ts'
import type { AppServers, Caller, RestoredTask, TaskAccounts } from '../model/index.ts'
import { TaskError } from '../model/index.ts'
import type { Runs } from '../turns/index.ts'
import type { Messages } from './messages.ts'
import { newTask, titleOf } from './new-task.ts'

export interface RestoringParts {
  readonly log: EventLog
  readonly runs: Runs
  readonly messages: Messages
  readonly now: () => number
  readonly defaultNotify: readonly string[]
  readonly accounts: Pick<TaskAccounts, 'find'> | null
  readonly appServers: Pick<AppServers, 'canonical'>
  /** null: nobody else uses this store. */
  readonly workerId: string | null
}

/** The id of the task. Its workspace and its thread are made before its first turn. */
export async function startRestored(
  restored: RestoredTask,
  { actor }: Caller,
  parts: RestoringParts,
): Promise<string> {
  const { log, runs, messages } = parts
  const { task, labels } = await restoredRow(restored, parts)
  await log.change(async (change) => {
    await insertTask(change.db, task, labels)
    await restored.place.record(change.db, task)
    const { status, reason } = task
    const evidence = { snapshot: restored.snapshotId }
    change.emit(task.id, 'drawbridge/task', {
      status: status as TaskStatus,
      waitingFor: null,
      reason,
      evidence,
    })
    if (restored.prompt === undefined) return
    await messages.queue(change, (await taskRow(change.db, task.id))!, { input: restored.prompt, actor })
  })
  runs.wake(task.id)
  return task.id
}

async function restoredRow(
  restored: RestoredTask,
  { now, defaultNotify, accounts, appServers, workerId }: RestoringParts,
): Promise<{ task: TaskInsert; labels: readonly string[] }> {
  const { place, prompt, title, labels, codexHome = null, codexPath = null, account: asked } = restored
  if (asked !== undefined && codexHome !== null)
    throw new TaskError('bad-request', 'an account has a codex home of its own: leave codexHome out')
  if (asked !== undefined && !accounts) throw new TaskError('not-supported', 'this service keeps no accounts')
  const account = asked === undefined ? null : await accounts!.find(asked)
  const made = newTask(
    {
      ...{ prompt: prompt ?? restored.firstPrompt, cwd: place.cwd, title, labels },
    },
    // The folder is yet to be made.
    { now: now(), defaultNotify, isHere: false, tools: restored.tools, account, place },
  )
  const key = appServers.canonical({ codexPath, codexHome, execHost: null })
  const waits = { status: 'idle', reason: 'it was restored and waits for a message', queued_at: null }
  return {
    labels: made.labels,
    task: {
      ...made.task,
      ...restored.kept,
      ...(prompt === undefined && waits),
      ...{ codex_path: key.codexPath, codex_home: key.codexHome },
      title: titleOf(redact(title)),
      forked_from: restored.forkedFrom,
      thread_id: restored.threadId,
      restored_from: restored.snapshotId,
      model_notice: restored.notice,
      ...(workerId !== null && { wants: workerId, worker_id: workerId }),
    },
  }
}
