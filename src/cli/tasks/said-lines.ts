// What the model says about its work, in lists and on a task's page.
import type { Task } from '../../api/index.ts'
import { type Cell, visibleLine } from '../screen/index.ts'
import { hasEnded } from './task-exit.ts'

const BAR = 12

/** `▰▰▰▱▱▱ 50% Reading the code`; null: it has said nothing. */
function progressText({ progress }: Pick<Task, 'progress'>): string | null {
  // A service of an older version says nothing of it.
  if (!progress) return null
  const { percent, text } = progress
  if (percent === null) return visibleLine(text)
  const full = Math.round((percent / 100) * BAR)
  return visibleLine(`${'▰'.repeat(full)}${'▱'.repeat(BAR - full)} ${percent}% ${text}`)
}

/** Behind the title in lists: what a person should look at. */
export function marks({ attention, openDeliverables = 0, progress, status }: Task): string {
  const percent = status === 'working' && progress?.percent != null ? ` ${progress.percent}%` : ''
  const files = openDeliverables > 0 ? ` [${openDeliverables} to accept]` : ''
  return `${percent}${attention ? ' [!]' : ''}${files}`
}

export function saidLines(task: Task, id: string): (string | Cell)[] {
  const { attention, links = [], openDeliverables = 0 } = task
  // Of a task that is over it says nothing any more.
  const progress = hasEnded(task) ? null : progressText(task)
  return [
    ...(progress === null ? [] : [{ text: progress, colour: 'cyan' as const }]),
    ...(attention
      ? [
          { text: `! ${visibleLine(attention.reason)}`, colour: 'yellow' as const },
          `  mark as seen: drawbridge task seen ${id}`,
        ]
      : []),
    ...links.map(({ url }) => `link: ${visibleLine(url)}`),
    ...(openDeliverables > 0
      ? [`files to accept or send back: ${openDeliverables} (drawbridge task deliverables ${id})`]
      : []),
  ]
}
