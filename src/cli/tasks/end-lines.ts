// What is said last about a task that was watched: how it ended, why, and what can be done now.
import type { Task } from '../../api/index.ts'
import { asTyped } from '../process/index.ts'
import { ago, type Line, localTime } from '../screen/index.ts'
import { failureAdvice } from './failure-advice.ts'
import { shortId } from './find-id.ts'

type Ended = Pick<Task, 'id' | 'codexHome' | 'status' | 'reason' | 'failure' | 'limitedUntil'>

export function endLines(task: Ended, now: number): Line[] {
  const { status, reason, failure } = task
  switch (status) {
    case 'completed':
    case 'idle':
      return []
    case 'interrupted':
      return [{ text: `interrupted: ${reason}`, style: 'yellow' }]
    case 'limited':
      return [{ text: limitedText(task, now), style: 'yellow' }]
    case 'lost':
    case 'timed-out':
      return [{ text: `${status}: ${reason}`, style: 'red' }]
    case 'failed':
      return [
        {
          text: failure ? `failed: ${failure.message} [${failure.code}]` : `failed: ${reason}`,
          style: 'red',
        },
        ...(failure ? [{ text: `→ ${failureAdvice(failure, task)}` }] : []),
      ]
    default:
      return [{ text: `It goes on without us: ${status}`, style: 'yellow' }]
  }
}

function limitedText({ limitedUntil, failure, reason }: Ended, now: number): string {
  const why = failure?.message ?? reason
  if (limitedUntil === null) return `limited: ${why}`
  return `limited until ${localTime(limitedUntil, now)} (${ago(limitedUntil, now)}), when it resumes by itself: ${why}`
}

/** The last line: what to type next. */
export function nextLine({ id, status, waitingFor }: Pick<Task, 'id' | 'status' | 'waitingFor'>): string {
  const task = shortId(id)
  if (waitingFor === 'worker')
    return asTyped(`task ${task}: waits for its worker · is it up? drawbridge workers`)
  return `task ${task}: ${status} · ${asTyped(next(status))} ${task}${status === 'completed' || status === 'idle' ? ' "…"' : ''}`
}

function next(status: Task['status']): string {
  switch (status) {
    case 'completed':
    case 'idle':
      return 'more: drawbridge task send'
    case 'limited':
      return 'sooner: drawbridge task resume'
    case 'failed':
    case 'interrupted':
    case 'lost':
    case 'timed-out':
      return 'go on: drawbridge task resume'
    case 'waiting':
      return 'answer: drawbridge approvals --task'
    default:
      return 'follow it: drawbridge task logs -f'
  }
}
