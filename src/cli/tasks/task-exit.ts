import type { Task } from '../../api/index.ts'
import { EXIT, isUnsuitable } from '../process/index.ts'

/** What a command that waited for a task exits with. A task that is still at it was not waited for long enough. */
export function exitCodeOfTask({
  status,
  waitingFor,
  failure,
}: Pick<Task, 'status' | 'waitingFor' | 'failure'>): number {
  switch (status) {
    case 'completed':
    case 'idle':
      return EXIT.done
    case 'failed':
      return failure && isUnsuitable(failure.code) ? EXIT.unsuitable : EXIT.failed
    case 'lost':
      return EXIT.failed
    case 'waiting':
      return waitingFor === 'worker' ? EXIT.timedOut : EXIT.declined
    case 'limited':
      return EXIT.limited
    case 'interrupted':
      return EXIT.interrupted
    case 'timed-out':
    case 'queued':
    case 'starting':
    case 'working':
      return EXIT.timedOut
  }
}

/** Nothing more happens by itself, but that a limited one resumes at its time. */
export function hasEnded({ status }: Pick<Task, 'status'>): boolean {
  return !['queued', 'starting', 'working', 'waiting'].includes(status)
}

export const TASK_EXIT_CODES_HELP = `
Exit codes:
  0    completed, or idle
  1    failed, or lost
  2    bad usage
  3    waits for an answer
  4    a usage limit was reached
  5    codex is missing, unsuitable or not logged in
  124  timed out, still working, or waiting for its worker
  130  interrupted`
