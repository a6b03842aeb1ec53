// Whose the answer is that a task has: a later turn may have failed, or may still be at work.
import type { Task } from '../../api/index.ts'
import { hasEnded } from './task-exit.ts'

export interface LastAnswer {
  readonly text: string
  /** `done`: of the turn that ended last. `cut-short`: what that turn said before it ended otherwise. */
  readonly of: 'done' | 'cut-short' | 'earlier'
}

export function lastAnswer(task: Pick<Task, 'status' | 'turnId' | 'evidence' | 'result'>): LastAnswer | null {
  const { status, turnId, evidence, result } = task
  if (!result) return null
  const { text } = result
  const isOfAnother = typeof evidence.turnId === 'string' && evidence.turnId !== result.turnId
  // One that waits without a turn has asked in the last message of the turn that is done.
  const isDone = status === 'completed' || status === 'idle' || (status === 'waiting' && turnId === null)
  if (isDone) return { text, of: isOfAnother ? 'earlier' : 'done' }
  const isCutShort = hasEnded(task) && evidence.turnId === result.turnId
  return { text, of: isCutShort ? 'cut-short' : 'earlier' }
}
