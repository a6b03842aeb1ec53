// The states of tasks as a person groups them.
import type { Task, TaskStatus } from '../api/contract.ts'

export interface Column {
  readonly id: string
  readonly title: string
  readonly statuses: readonly TaskStatus[]
}

export const COLUMNS: readonly Column[] = [
  { id: 'waiting', title: 'Needs you', statuses: ['waiting'] },
  { id: 'working', title: 'Working', statuses: ['working', 'starting'] },
  { id: 'queued', title: 'Queued', statuses: ['queued', 'limited'] },
  { id: 'done', title: 'Done', statuses: ['idle', 'completed'] },
  { id: 'ended', title: 'Ended otherwise', statuses: ['failed', 'interrupted', 'timed-out', 'lost'] },
]

/** Every task in one column; a status nobody knows is in the last. */
export function byColumn(
  tasks: readonly Task[],
): readonly { readonly column: Column; readonly tasks: readonly Task[] }[] {
  const known = new Set(COLUMNS.flatMap(({ statuses }) => statuses))
  return COLUMNS.map((column, index) => ({
    column,
    tasks: tasks.filter(
      ({ status }) =>
        column.statuses.includes(status) || (index === COLUMNS.length - 1 && !known.has(status)),
    ),
  }))
}

const ENDED: readonly string[] = ['idle', 'completed', 'failed', 'interrupted', 'timed-out', 'lost']

/** Nothing runs and nothing will by itself. */
export function hasEnded(status: string): boolean {
  return ENDED.includes(status)
}

/** A turn runs: a message can steer it. */
export function isRunning(task: Pick<Task, 'status' | 'turnId'>): boolean {
  return task.turnId !== null && (task.status === 'working' || task.status === 'waiting')
}
