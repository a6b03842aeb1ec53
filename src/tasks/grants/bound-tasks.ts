// The task service as a named token may use it.
import type { Grant, Right, TaskService } from '../model/index.ts'
import { boundReads } from './bound-reads.ts'
import { boundWork } from './bound-work.ts'
import { type BoundedMethods, NEEDS } from './needs.ts'
import { lacks, ownerOnly } from './not-permitted.ts'
import { Sight } from './sight.ts'

/** These answer at once; all others with a promise. */
const SYNCHRONOUS: readonly string[] = ['appServers', 'follow', 'followAll'] satisfies (keyof TaskService)[]

/**
 * Allows, filters or refuses each call by the grant. What the token does not see is answered as if it did not exist; what it
 * may not do is refused with `not-permitted`, before anything is looked up.
 */
export function boundTasks(tasks: TaskService, grant: Grant): TaskService {
  const parts = { sight: new Sight(tasks, grant), grant }
  const methods: BoundedMethods = { ...boundReads(tasks, parts), ...boundWork(tasks, parts) }
  const guarded = Object.entries(NEEDS).map(([name, needs]) => {
    const call = (...given: never[]): unknown => {
      refuseWithout(grant, { name, needs })
      return (methods[name as keyof BoundedMethods] as (...given: never[]) => unknown)(...given)
    }
    return [name, SYNCHRONOUS.includes(name) ? call : async (...given: never[]) => call(...given)]
  })
  return Object.fromEntries(guarded) as TaskService
}

function refuseWithout(grant: Grant, { name, needs }: { name: string; needs: readonly Right[] }): void {
  if (needs.length === 0) throw ownerOnly(grant, name)
  if (!needs.some((right) => grant.may.includes(right))) throw lacks(grant, needs[0]!)
}
