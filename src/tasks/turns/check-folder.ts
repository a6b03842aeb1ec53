import { HostUnreachableError } from '../../codex/index.ts'
import type { StoredTask } from '../../store/index.ts'
import { isBelow, isInside } from '../../util/is-inside.ts'
import { realPathFor } from '../link/index.ts'
import { type HostDirectory, TaskError } from '../model/index.ts'

/**
 * Looked at before every turn, on the machine that the task works on: a folder may be a link there, or have become one.
 * Rejects with `not-permitted`, or with `host-unreachable` while that machine cannot be asked.
 */
export async function checkWithin(row: StoredTask, hosts: HostDirectory): Promise<void> {
  const { cwd, within, host, created_by_name } = row
  if (within === null) return
  const folders = JSON.parse(within) as string[]
  if (host === null ? isInside(folders, cwd) : await isInsideThere(folders, row, hosts)) return
  const flag = host === null ? '--folder' : `--host ${host}:<folder>`
  throw new TaskError(
    'not-permitted',
    `${cwd} is not in the folders of the token ${created_by_name} any more: needs a token with ${flag} for where it really is`,
    { details: { token: created_by_name, needs: flag } },
  )
}

async function isInsideThere(
  folders: readonly string[],
  { cwd, host }: StoredTask,
  hosts: HostDirectory,
): Promise<boolean> {
  const realPath = realPathFor({ host }, { hosts, local: undefined })
  const [place, ...holders] = await Promise.all([cwd, ...folders].map((each) => realPath(each))).catch(
    (error: unknown) => {
      throw error instanceof HostUnreachableError ? error : new HostUnreachableError(host!, error)
    },
  )
  return place != null && holders.some((holder) => holder !== null && isBelow(holder, place))
}
