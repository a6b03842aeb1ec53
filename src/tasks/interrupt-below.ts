// A task and all that it started, ended together.
import { hasEnded, TASK_STATUSES } from '../store/index.ts'
import { type Caller, type Task, TaskError, type TaskService } from './model/index.ts'

const AT_WORK = TASK_STATUSES.filter((status) => !hasEnded(status) || status === 'limited')

interface Parts {
  readonly list: TaskService['list']
  /** Of one task. Rejects with `not-running` when it has ended. */
  readonly interrupt: (taskId: string, caller: Caller) => Promise<unknown>
}

/** First the task, so that it starts no more. Rejects with `not-running` when nothing of all this runs. */
export async function interruptWithChildren(taskId: string, caller: Caller, parts: Parts): Promise<void> {
  const refusal = await endOne(taskId, caller, parts)
  if (!(await interruptBelow(taskId, caller, parts)) && refusal) throw refusal
}

/** Whether any of them was at work. */
async function interruptBelow(taskId: string, caller: Caller, parts: Parts): Promise<boolean> {
  let wasAny = false
  for (const child of await childrenOf(taskId, parts)) {
    const isAtWork = (AT_WORK as readonly string[]).includes(child.status)
    if (isAtWork && (await endOne(child.id, caller, parts)) === null) wasAny = true
    // One that has ended may have left others at work.
    if (await interruptBelow(child.id, caller, parts)) wasAny = true
  }
  return wasAny
}

async function endOne(taskId: string, caller: Caller, { interrupt }: Parts): Promise<TaskError | null> {
  try {
    await interrupt(taskId, caller)
    return null
  } catch (error) {
    if (error instanceof TaskError && error.code === 'not-running') return error
    throw error
  }
}

async function childrenOf(taskId: string, { list }: Parts): Promise<Task[]> {
  const children: Task[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await list({ parent: taskId, archived: true, limit: 200, cursor })
    children.push(...page.items)
    cursor = page.cursor
  }
  return children
}
