import {
  HostUnreachableError,
  type PathFacts,
  rememberedBriefly,
  type ThreadEnvironment,
} from '../../codex/index.ts'
import type { StoredTask } from '../../store/index.ts'
import { type HostDirectory, hostOfHome } from '../model/index.ts'

/** The other machine that the commands of a task run on, and codex does not; null: there is none. Rejects with `host-unreachable` when it is not known any more. */
export async function hostOfTask(
  { host, codex_home }: Pick<StoredTask, 'host' | 'codex_home'>,
  hosts: HostDirectory,
): Promise<ThreadEnvironment | null> {
  if (host === null || hostOfHome(codex_home) !== null) return null
  const found = await knownHost(host, hosts)
  return { ...found, paths: rememberedBriefly(found.paths) }
}

async function knownHost(host: string, hosts: HostDirectory): Promise<ThreadEnvironment> {
  const found = await hosts.get(host)
  if (found) return found
  throw new HostUnreachableError(host, new Error('it was removed: add it again with `drawbridge host add`'))
}

/** Real paths where a task works. On a machine that is not known any more none can be looked up. */
export function realPathFor(
  task: Pick<StoredTask, 'host'>,
  { hosts, local }: { hosts: HostDirectory; local: PathFacts['realPath'] | undefined },
): PathFacts['realPath'] {
  const { host } = task
  if (host === null) return local ?? (async () => null)
  return async (place) => (await knownHost(host, hosts)).paths.realPath(place)
}
