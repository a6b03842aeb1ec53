import { rm } from 'node:fs/promises'
import path from 'node:path'
import { type Pruned, prune, type Retention, readDatabaseTime, type Store } from '../../store/index.ts'

export interface PruneOptions {
  readonly dataDir: string
  readonly retention: Retention
  readonly signal: AbortSignal
}

/** Forgets what is too old: in the database, and the events that were too large for it. */
export async function pruneAll({ db }: Pick<Store, 'db'>, options: PruneOptions): Promise<Pruned> {
  const { dataDir, retention, signal } = options
  // Of workers that share a database each may have a clock of its own.
  const pruned = await prune(db, { retention, now: await readDatabaseTime(db), signal })
  for (const taskId of [...pruned.tasks, ...pruned.trimmed])
    await rm(path.join(dataDir, 'frames', taskId), { recursive: true, force: true })
  for (const taskId of pruned.tasks)
    await rm(path.join(dataDir, 'deliverables', taskId), { recursive: true, force: true })
  return pruned
}
