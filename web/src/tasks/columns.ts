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

/** How many tasks a column has; those of a status nobody knows are in the last. */
export function columnCount(column: Column, byStatus: Readonly<Record<string, number>>): number {
  const known = new Set<string>(COLUMNS.flatMap(({ statuses }) => statuses))
  const isLast = column === COLUMNS.at(-1)
  return Object.entries(byStatus)
    .filter(([status]) => column.statuses.some((own) => own === status) || (isLast && !known.has(status)))
    .reduce((sum, [, count]) => sum + count, 0)
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
