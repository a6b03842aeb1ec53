// Waiting for a task, at most as long as a client is patient. It ends when the task has ended or a question was put since
// the cursor; a question the client knows of is waited through, because another person may have to answer it.
import { DrawbridgeError } from '../codex/index.ts'
import { hasEnded, type Task } from '../tasks/index.ts'
import type { McpCaller } from './mcp-caller.ts'
import { askedIn, newsSince } from './news.ts'
import { eventLines } from './text/event-lines.ts'

export interface Waiting {
  readonly taskId: string
  readonly cursor: number
  readonly maxWaitMs: number
  readonly tell: (line: string) => void
}

/** The task as it is then. Rejects with `unavailable` when the service stops: the same call again goes on. */
export async function waitForNews(
  { taskId, cursor, maxWaitMs, tell }: Waiting,
  { tasks, hold }: Pick<McpCaller, 'tasks' | 'hold'>,
  { signal }: { signal: AbortSignal },
): Promise<Task> {
  const task = await tasks.get(taskId)
  if (maxWaitMs === 0 || (await isNoted(task, cursor, tasks))) return task
  const closing = new AbortController()
  const leave = hold(() => closing.abort())
  try {
    const until = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(maxWaitMs)])
    for await (const event of tasks.follow(taskId, { after: task.lastSeq, signal: until })) {
      const line = eventLines(event).at(-1)
      if (line) tell(line)
      const asked = askedIn(event)
      if (asked && (await tasks.approval(asked)).status === 'pending') break
      if (event.method === 'drawbridge/task' && hasEnded((await tasks.get(taskId)).status)) break
    }
    if (!closing.signal.aborted) return await tasks.get(taskId)
  } finally {
    leave()
  }
  throw new DrawbridgeError('the waiting was ended: ask again with the same cursor', {
    code: 'unavailable',
    retryable: true,
  })
}

/** Whether there is something to say without waiting. */
async function isNoted(task: Task, cursor: number, tasks: McpCaller['tasks']): Promise<boolean> {
  // One that is limited goes on by itself: a client that knows it waits for that.
  if (hasEnded(task.status)) return task.status !== 'limited' || cursor < task.lastSeq
  if (task.openApprovals === 0) return false
  const { questions, isCut } = await newsSince(cursor, task, tasks)
  if (isCut) return true
  const { items } = await tasks.approvals({ taskId: task.id, status: 'pending' })
  return items.some(({ id }) => questions.has(id))
}
