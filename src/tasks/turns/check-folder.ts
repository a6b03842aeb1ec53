import { HostUnreachableError, type ThreadPolicy } from '../../codex/index.ts'
import type { StoredTask } from '../../store/index.ts'
import { isBelow, isInside } from '../../util/is-inside.ts'
import { realPathFor } from '../link/index.ts'
import { type HostDirectory, rootsOf, TaskError } from '../model/index.ts'

/**
 * Looked at before every turn, on the machine that the task works on: a folder may be a link there, or have become one.
 * Rejects with `not-permitted`, or with `host-unreachable` while that machine cannot be asked.
 */
export async function checkWithin(row: StoredTask, hosts: HostDirectory): Promise<void> {
  const { within, host, created_by_name } = row
  if (within === null) return
  const folders = JSON.parse(within) as string[]
  const outside = await firstOutside(folders, row, hosts)
  if (outside === null) return
  const flag = host === null ? '--folder' : `--host ${host}:<folder>`
  throw new TaskError(
    'not-permitted',
    `${outside} is not in the folders of the token ${created_by_name} any more: needs a token with ${flag} for where it really is`,
    { details: { token: created_by_name, needs: flag } },
  )
}

/** A folder of a task, or what it is allowed besides. */
async function firstOutside(
  folders: readonly string[],
  row: StoredTask,
  hosts: HostDirectory,
): Promise<string | null> {
  const { allow = [] } = JSON.parse(row.policy) as ThreadPolicy
  for (const place of [...(rootsOf(row) ?? [row.cwd]), ...allow.map(({ path }) => path)]) {
    const isIn =
      row.host === null ? isInside(folders, place) : await isInsideThere(folders, place, { row, hosts })
    if (!isIn) return place
  }
  return null
}

async function isInsideThere(
  folders: readonly string[],
  named: string,
  { row: { host }, hosts }: { readonly row: StoredTask; readonly hosts: HostDirectory },
): Promise<boolean> {
  const realPath = realPathFor({ host }, { hosts, local: undefined })
  const [place, ...holders] = await Promise.all([named, ...folders].map((each) => realPath(each))).catch(
    (error: unknown) => {
      throw error instanceof HostUnreachableError ? error : new HostUnreachableError(host!, error)
    },
  )
  return place != null && holders.some((holder) => holder !== null && isBelow(holder, place))
}
