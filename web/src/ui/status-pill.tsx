import type { Task, TaskStatus } from '../api/contract.ts'
import { classNames } from './class-names.ts'

type Tone = 'busy' | 'wait' | 'good' | 'bad' | 'calm'

const LOOKS: Readonly<Record<TaskStatus, { readonly tone: Tone; readonly text: string }>> = {
  queued: { tone: 'calm', text: 'Queued' },
  starting: { tone: 'busy', text: 'Starting' },
  working: { tone: 'busy', text: 'Working' },
  waiting: { tone: 'wait', text: 'Waiting' },
  idle: { tone: 'good', text: 'Idle' },
  completed: { tone: 'good', text: 'Completed' },
  failed: { tone: 'bad', text: 'Failed' },
  interrupted: { tone: 'calm', text: 'Interrupted' },
  'timed-out': { tone: 'bad', text: 'Timed out' },
  lost: { tone: 'bad', text: 'Lost' },
  limited: { tone: 'wait', text: 'Limited' },
}

const NEEDS: Readonly<Record<NonNullable<Task['waitingFor']>, string>> = {
  approval: 'Needs approval',
  input: 'Needs input',
  worker: 'Needs its worker',
}

export const TONES: Readonly<Record<Tone, string>> = {
  busy: 'bg-busy-wash text-busy',
  wait: 'bg-wait-wash text-wait',
  good: 'bg-good-wash text-good',
  bad: 'bg-bad-wash text-bad',
  calm: 'bg-calm-wash text-soft',
}

/** A status the console does not know yet is shown as it is. */
function statusLook(status: string): { readonly tone: Tone; readonly text: string } {
  return LOOKS[status as TaskStatus] ?? { tone: 'calm', text: status }
}

export function StatusPill({ task }: { readonly task: Pick<Task, 'status' | 'waitingFor'> }) {
  const { tone, text } = statusLook(task.status)
  const needs = task.status === 'waiting' && task.waitingFor !== null ? NEEDS[task.waitingFor] : undefined
  return (
    <span
      className={classNames(
        'inline-flex shrink-0 items-center gap-1.5 rounded-full px-2.5 py-0.5 text-xs font-medium',
        TONES[tone],
      )}
    >
      <span
        aria-hidden
        className={classNames('size-1.5 rounded-full bg-current', tone === 'busy' && 'breathe')}
      />
      {needs ?? text}
    </span>
  )
}
