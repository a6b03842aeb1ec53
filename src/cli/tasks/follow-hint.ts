import { asTyped } from '../process/index.ts'
import { shortId } from './find-id.ts'

/** What to type to see what becomes of a task. */
export function followHint(taskId: string): string {
  return asTyped(`Follow it with: drawbridge task logs -f ${shortId(taskId)}`)
}
