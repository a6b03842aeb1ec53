// A worker as people give it: its name or its id, or enough of the beginning to be the only one.
import type { Worker } from '../../api/index.ts'
import { DrawbridgeError } from '../../codex/index.ts'
import { UsageError } from '../process/index.ts'

export function findWorker(workers: readonly Worker[], given: string): Worker {
  const wanted = given.toLowerCase()
  const exact = workers.filter(({ id, name }) => id === given || name.toLowerCase() === wanted)
  const begun = workers.filter(
    ({ id, name }) => id.startsWith(given) || name.toLowerCase().startsWith(wanted),
  )
  const found = exact.length > 0 ? exact : begun
  if (found.length === 1) return found[0]!
  if (found.length === 0)
    throw new DrawbridgeError(`there is no worker ${given}`, { code: 'worker-not-found' })
  const named = found.map(({ id, name, state }) => `${name} (${state}, id ${id})`)
  throw new UsageError(`${given} is not the only one: ${named.join(', ')}. Give its id`)
}
