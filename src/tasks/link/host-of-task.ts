import { HostUnreachableError, type PathFacts, type ThreadEnvironment } from '../../codex/index.ts'
import type { StoredTask } from '../../store/index.ts'
import type { HostDirectory } from '../model/index.ts'

/** The other machine that a task runs on; null: this one. Rejects with `host-unreachable` when it is not known any more. */
export async function hostOfTask(
  { host }: Pick<StoredTask, 'host'>,
  hosts: HostDirectory,
): Promise<ThreadEnvironment | null> {
  if (host === null) return null
  const found = await hosts.get(host)
  if (found) return found
  throw new HostUnreachableError(host, new Error('it was removed: add it again with `drawbridge host add`'))
}

/** Real paths where a task works. On a machine that is not known any more none can be looked up. */
export function realPathFor(
  task: Pick<StoredTask, 'host'>,
  { hosts, local }: { hosts: HostDirectory; local: PathFacts['realPath'] | undefined },
): PathFacts['realPath'] {
  if (task.host === null) return local ?? (async () => null)
  return async (place) => (await hostOfTask(task, hosts))!.paths.realPath(place)
}
