import type { Task } from '../../api/index.ts'
import { inLocalTime, onScreen } from '../screen/index.ts'
import { shortId } from './find-id.ts'

/** `5f3a91c2 is interrupted: it was interrupted by cli:me`. */
export function stateLine(
  { id, status, reason }: Pick<Task, 'id' | 'status' | 'reason'>,
  now: number,
): string {
  return onScreen(`${shortId(id)} is ${status}: ${inLocalTime(reason, now)}`)
}
