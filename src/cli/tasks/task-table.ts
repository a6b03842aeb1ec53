// Tasks as people see them in lists.
import type { Task } from '../../api/index.ts'
import { ago, type Cell, type Colour } from '../screen/index.ts'
import { shortId } from './find-id.ts'

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

export function statusCell({ status, queuePosition, openApprovals }: Task): Cell {
  const more = status === 'queued' && queuePosition ? ` #${queuePosition}` : ''
  const asked = status === 'waiting' && openApprovals > 1 ? ` (${openApprovals})` : ''
  return { text: `${status}${more}${asked}`, colour: COLOURS[status] }
}

const HEAD = ['ID', 'STATUS', 'UPDATED', 'LABELS', 'TITLE']
export const LABELS_COLUMN = HEAD.indexOf('LABELS')

export function taskTable(tasks: readonly Task[], now: number): Cell[][] {
  return [
    HEAD.map((text): Cell => ({ text, colour: 'dim' })),
    ...tasks.map((task) => [
      { text: shortId(task.id) },
      statusCell(task),
      { text: ago(task.updatedAt, now) },
      { text: task.labels.join(',') },
      { text: task.archivedAt === null ? task.title : `${task.title} (archived)` },
    ]),
  ]
}
