// What a test waits for: facts about a task, not time.
import type { Approval, DurableTasks, Task, TaskEvent } from '../../src/tasks/index.ts'
import { ALICE } from './open-tasks.ts'

const PATIENCE_MS = 30_000

/** The task, as soon as it is as it should be. Looks whenever something happens to it. */
export async function taskThat(
  tasks: DurableTasks,
  taskId: string,
  fits: (task: Task) => boolean,
): Promise<Task> {
  const first = await tasks.get(taskId)
  if (fits(first)) return first
  const signal = AbortSignal.timeout(PATIENCE_MS)
  for await (const _ of tasks.follow(taskId, { after: first.lastSeq, signal })) {
    const task = await tasks.get(taskId)
    if (fits(task)) return task
  }
  const { status, reason } = await tasks.get(taskId)
  throw new Error(`the task is not as it should be: it is ${status}, ${reason}`)
}

/** The first event that fits, stored or to come. */
export async function eventThat(
  tasks: DurableTasks,
  taskId: string,
  fits: (event: TaskEvent) => boolean,
): Promise<TaskEvent> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  for await (const event of tasks.follow(taskId, { after: 0, signal })) if (fits(event)) return event
  throw new Error('no such event')
}

/** The questions of a task, once there are this many. */
export async function questionsOf(
  tasks: DurableTasks,
  taskId: string,
  count = 1,
): Promise<readonly Approval[]> {
  await taskThat(tasks, taskId, ({ openApprovals }) => openApprovals >= count)
  return (await tasks.approvals({ taskId, status: 'pending' })).items
}

export async function questionOf(tasks: DurableTasks, taskId: string): Promise<Approval> {
  return (await questionsOf(tasks, taskId))[0]!
}

/** Starts a task and waits for its end, through whatever it asks. */
export async function runTask(
  tasks: DurableTasks,
  request: Parameters<DurableTasks['start']>[0],
): Promise<Task> {
  const { id } = await tasks.start(request, ALICE)
  return tasks.wait(id, { timeoutMs: PATIENCE_MS, through: true })
}

/** The model has said something. Its deltas are gone from the log as soon as the whole of it is there. */
export function isStreaming({ method, frame }: TaskEvent): boolean {
  return (
    method === 'item/agentMessage/delta' || (method === 'item/completed' && frame.includes('"agentMessage"'))
  )
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects to be there
export function paramsOf({ frame }: TaskEvent): any {
  return JSON.parse(frame).params
}
