import type { Task } from '../../api/index.ts'
import { asTyped, loginAdvice } from '../process/index.ts'
import { shortId } from './find-id.ts'

type Failure = NonNullable<Task['failure']>

/** What to do about a failure, as a command where one does it. */
export function failureAdvice(
  { code, hint }: Pick<Failure, 'code' | 'hint'>,
  { id, codexHome }: Pick<Task, 'id' | 'codexHome'>,
): string {
  if (code === 'not-logged-in') return loginAdvice(codexHome)
  if (code !== 'codex-crashed') return asTyped(hint)
  return asTyped(`drawbridge task resume ${shortId(id)} (what codex had completed is kept)`)
}
