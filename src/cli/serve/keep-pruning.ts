import type { Queue, Store } from '../../store/index.ts'
import { type PruneOptions, pruneAll } from '../db/index.ts'
import { count } from '../screen/index.ts'
import type { DatabaseOutage } from './database-outage.ts'

const EVERY_MS = 60 * 60 * 1000

/** Forgets what is old, now and every hour; where several services share a database, one of them does. */
export function keepPruning(
  queue: Pick<Queue, 'every'>,
  database: Pick<Store, 'db'>,
  {
    tell,
    outage,
    afterwards,
    ...options
  }: Omit<PruneOptions, 'signal'> & {
    tell: (line: string) => void
    outage: DatabaseOutage
    /** Removes what belonged to tasks that are gone by now. */
    afterwards: () => Promise<void>
  },
): Promise<void> {
  return queue.every('prune', { everyMs: EVERY_MS }, async (signal) => {
    try {
      const { tasks, trimmed } = await pruneAll(database, { ...options, signal })
      if (tasks.length + trimmed.length > 0)
        tell(`retention: deleted ${count(tasks.length, 'task')}, and the events of ${trimmed.length} more`)
      await afterwards()
    } catch (error) {
      if (!signal.aborted) await outage.hearOfPart(error, () => tell(`retention failed: ${String(error)}`))
    }
  })
}
