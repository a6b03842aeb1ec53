import { hasEnded } from '../../store/index.ts'
import type { Task, TaskService } from '../model/index.ts'

/** Resolves when the task has ended, waits for a person (unless `through`), or the time is up, with what it is then. */
export async function waitForTask(
  taskId: string,
  { timeoutMs, through = false, signal }: Parameters<TaskService['wait']>[1],
  tasks: Pick<TaskService, 'get' | 'follow'>,
): Promise<Task> {
  const until = AbortSignal.any([
    ...(signal ? [signal] : []),
    ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(Math.min(timeoutMs, 2 ** 31 - 1))]),
  ])
  const isThere = ({ status, waitingFor }: Task) =>
    hasEnded(status) || (status === 'waiting' && waitingFor !== 'worker' && !through)
  const first = await tasks.get(taskId)
  if (isThere(first)) return first
  for await (const { method } of tasks.follow(taskId, { after: first.lastSeq, signal: until })) {
    if (method !== 'drawbridge/task') continue
    const task = await tasks.get(taskId)
    if (isThere(task)) return task
  }
  return tasks.get(taskId)
}
