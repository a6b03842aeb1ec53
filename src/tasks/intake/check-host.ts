import type { PathKind } from '../../codex/index.ts'
import { type HostDirectory, type StartTask, TaskError } from '../model/index.ts'

/** How long a start waits to hear of the folder; later its first turn says what is wrong with it. */
const LOOK_MS = 3_000

/** Throws when the host of a new task is not known, or says that the folder is not there. One that is away is waited for. */
export async function checkHost(
  { host, cwd }: StartTask,
  { hosts, isShared }: { readonly hosts: HostDirectory; readonly isShared: boolean },
): Promise<void> {
  if (host === undefined) return
  if (isShared)
    throw new TaskError(
      'not-supported',
      'tasks on other hosts need a store of their own: SQLite, not PostgreSQL',
    )
  const known = await hosts.get(host)
  if (!known)
    throw new TaskError('bad-request', `there is no host ${host}: add it with \`drawbridge host add\``)
  if (!cwd.startsWith('/'))
    throw new TaskError('bad-request', `name the folder on ${host} from / on, not ${cwd}`)
  const kind = await Promise.race([known.paths.kindOf(cwd).catch(() => null), nothingAfter(LOOK_MS)])
  if (kind !== null && kind !== 'folder')
    throw new TaskError('bad-request', `there is no folder ${cwd} on ${host}: make it first, or name another`)
}

async function nothingAfter(ms: number): Promise<PathKind | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  setTimeout(() => resolve(null), ms).unref()
  return promise
}
