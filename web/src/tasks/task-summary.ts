import type { Task } from '../api/contract.ts'

/** What a list says of a task: what it came to, or why it is as it is. */
export function taskSummary({ status, result, reason }: Pick<Task, 'status' | 'result' | 'reason'>): string {
  const isDone = status === 'completed' || status === 'idle'
  const answer = isDone ? result?.text.trim().split('\n')[0] : undefined
  return answer?.replaceAll(/[*`#]/g, '').trim() || sentence(reason)
}

/** With a capital letter, where it begins with a letter. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
