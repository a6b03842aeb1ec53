import type { Store } from '../../store/index.ts'
import { type PruneOptions, pruneAll } from '../db/index.ts'
import { count } from '../screen/index.ts'

const EVERY_MS = 60 * 60 * 1000

/** Forgets what is old, now and every hour. Returns how to stop. */
export function keepPruning(
  database: Pick<Store, 'db'>,
  { tell, ...options }: Omit<PruneOptions, 'signal'> & { tell: (line: string) => void },
): () => void {
  const controller = new AbortController()
  const { signal } = controller
  const once = async () => {
    try {
      const { tasks, trimmed } = await pruneAll(database, { ...options, signal })
      if (tasks.length + trimmed.length > 0)
        tell(`retention: deleted ${count(tasks.length, 'task')}, and the events of ${trimmed.length} more`)
    } catch (error) {
      if (!signal.aborted) tell(`retention failed: ${String(error)}`)
    }
  }
  let last = once()
  const timer = setInterval(() => {
    last = last.then(once)
  }, EVERY_MS).unref()
  return () => {
    clearInterval(timer)
    controller.abort(new Error('the service is stopping'))
  }
}
