// Tasks as people see them in lists.
import type { Task } from '../../api/index.ts'
import { ago, type Cell, type Colour } from '../screen/index.ts'
import { shortId } from './find-id.ts'
import { marks } from './said-lines.ts'

export const COLOURS: Readonly<Record<Task['status'], Colour>> = {
  queued: 'dim',
  starting: 'cyan',
  working: 'cyan',
  waiting: 'yellow',
  idle: 'green',
  completed: 'green',
  failed: 'red',
  interrupted: 'yellow',
  'timed-out': 'red',
  lost: 'red',
  limited: 'yellow',
}

export const STATUSES: readonly string[] = Object.keys(COLOURS)

export function statusCell({ status, waitingFor, queuePosition, openApprovals }: Task): Cell {
  if (waitingFor === 'worker') return { text: 'waiting for worker', colour: COLOURS[status] }
  const more = status === 'queued' && queuePosition ? ` #${queuePosition}` : ''
  const asked = status === 'waiting' && openApprovals > 1 ? ` (${openApprovals})` : ''
  return { text: `${status}${more}${asked}`, colour: COLOURS[status] }
}

const HEAD = ['ID', 'STATUS', 'UPDATED', 'LABELS']
export const LABELS_COLUMN = HEAD.indexOf('LABELS')

/** Where workers share the tasks there is a column for them. */
export function taskTable(tasks: readonly Task[], now: number): Cell[][] {
  const isShared = tasks.some(({ worker, on }) => worker !== null || on !== null)
  const head = [...HEAD, ...(isShared ? ['WORKER'] : []), 'TITLE']
  return [
    head.map((text): Cell => ({ text, colour: 'dim' })),
    ...tasks.map((task) => [
      { text: shortId(task.id) },
      statusCell(task),
      { text: ago(task.updatedAt, now) },
      { text: task.labels.join(',') },
      ...(isShared ? [workerCell(task)] : []),
      {
        text: `${task.parent == null ? '' : '↳ '}${task.title}${task.archivedAt === null ? '' : ' (archived)'}${marks(task)}`,
      },
    ]),
  ]
}

/** `on gpu`: it was asked to run there, and no worker has taken it yet. */
function workerCell({ worker, on }: Task): Cell {
  if (worker !== null) return { text: worker.name }
  return { text: on === null ? '–' : `on ${on}`, colour: 'dim' }
}
