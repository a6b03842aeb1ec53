// A task and all that it started, ended together.
import { hasEnded, TASK_STATUSES } from '../store/index.ts'
import { type Caller, type Task, TaskError, type TaskService } from './model/index.ts'

const AT_WORK = TASK_STATUSES.filter((status) => !hasEnded(status) || status === 'limited')

interface Parts {
  readonly list: TaskService['list']
  /** Of one task. Rejects with `not-running` when it has ended. */
  readonly interrupt: (taskId: string, caller: Caller) => Promise<unknown>
}

/**
 * First the task, so that it starts no more. All are tried: rejects with the first failure at the end, and with
 * `not-running` when nothing of all this runs.
 */
export async function interruptWithChildren(taskId: string, caller: Caller, parts: Parts): Promise<void> {
  const top = await endOne(taskId, caller, parts)
  const tried = [top, ...(await interruptBelow(taskId, caller, parts))]
  for (const each of tried) if (each.how === 'failed') throw each.error
  if (top.how === 'over' && !tried.some(({ how }) => how === 'ended')) throw top.error
}

type Tried = { readonly how: 'ended' } | { readonly how: 'over' | 'failed'; readonly error: unknown }

async function interruptBelow(taskId: string, caller: Caller, parts: Parts): Promise<Tried[]> {
  const tried: Tried[] = []
  for (const child of await childrenOf(taskId, parts)) {
    const isAtWork = (AT_WORK as readonly string[]).includes(child.status)
    if (isAtWork) tried.push(await endOne(child.id, caller, parts))
    // One that has ended may have left others at work.
    tried.push(...(await interruptBelow(child.id, caller, parts)))
  }
  return tried
}

async function endOne(taskId: string, caller: Caller, { interrupt }: Parts): Promise<Tried> {
  try {
    await interrupt(taskId, caller)
    return { how: 'ended' }
  } catch (error) {
    const isOver = error instanceof TaskError && error.code === 'not-running'
    return { how: isOver ? 'over' : 'failed', error }
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
