import type { Task } from '../../api/index.ts'
import { asTyped } from '../typed-name.ts'
import { shortId } from './find-id.ts'

type Failure = NonNullable<Task['failure']>

/** What to do about a failure, as a command where one does it. */
export function failureAdvice({ code, hint }: Pick<Failure, 'code' | 'hint'>, taskId: string): string {
  if (code !== 'codex-crashed') return asTyped(hint)
  return asTyped(`drawbridge task resume ${shortId(taskId)} (what codex had completed is kept)`)
}
