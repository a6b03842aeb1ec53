import type { StoredTask } from '../../store/index.ts'
import { isInside } from '../../util/is-inside.ts'
import { TaskError } from '../model/index.ts'

/**
 * Looked at before every turn, on the machine that runs it: a folder may be a link there, or have become one. Throws
 * `not-permitted`.
 */
export function checkWithin({ cwd, within, host, created_by_name }: StoredTask): void {
  // Its folders are folders of this machine.
  if (within === null || (host === null && isInside(JSON.parse(within) as string[], cwd))) return
  throw new TaskError(
    'not-permitted',
    `${cwd} is not in the folders of the token ${created_by_name} any more: needs a token with --folder for where it really is`,
    { details: { token: created_by_name, needs: '--folder' } },
  )
}
