/** `idle` and the ends can all take another turn; a thread that codex has is never out of reach. */
export const TASK_STATUSES = [
  'queued',
  'starting',
  'working',
  'waiting',
  'idle',
  'completed',
  'failed',
  'interrupted',
  'timed-out',
  'lost',
  'limited',
] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** Nothing more happens by itself, except that `limited` resumes at its time. */
export function hasEnded(status: TaskStatus): boolean {
  return !['queued', 'starting', 'working', 'waiting'].includes(status)
}

/** What waits for one of these waits until it is resumed. */
export function isHeld(status: TaskStatus): boolean {
  return status === 'limited' || status === 'lost'
}
