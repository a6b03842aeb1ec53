// The states of tasks as a person groups them.
import type { Task, TaskStatus } from '../api/contract.ts'

export interface Column {
  readonly id: string
  readonly title: string
  readonly statuses: readonly TaskStatus[]
  /** Of those that wait: for whom. */
  readonly waitingFor?: 'worker' | 'person'
}

export const COLUMNS: readonly Column[] = [
  { id: 'waiting', title: 'Needs you', statuses: ['waiting'], waitingFor: 'person' },
  { id: 'working', title: 'Working', statuses: ['working', 'starting'] },
  { id: 'queued', title: 'Queued', statuses: ['queued', 'limited', 'waiting'], waitingFor: 'worker' },
  { id: 'done', title: 'Done', statuses: ['idle', 'completed'] },
  { id: 'ended', title: 'Ended otherwise', statuses: ['failed', 'interrupted', 'timed-out', 'lost'] },
]

/** How many tasks there are, and how many of those that wait do so for their worker. */
export interface Counted {
  readonly byStatus: Readonly<Record<string, number>>
  readonly forWorker: number
}

/** How many tasks a column has; those of a status nobody knows are in the last. */
export function columnCount(column: Column, { byStatus, forWorker }: Counted): number {
  const count = (status: string, all: number) => {
    if (status !== 'waiting') return all
    return column.waitingFor === 'worker' ? forWorker : Math.max(0, all - forWorker)
  }
  const known = new Set<string>(COLUMNS.flatMap(({ statuses }) => statuses))
  const isLast = column === COLUMNS.at(-1)
  return Object.entries(byStatus)
    .filter(([status]) => column.statuses.some((own) => own === status) || (isLast && !known.has(status)))
    .reduce((sum, [status, all]) => sum + count(status, all), 0)
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
