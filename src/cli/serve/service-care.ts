// What looks after a service: whether codex can run, work that is done once, copies of the database.
import { openQueue, type Queue, type Store } from '../../store/index.ts'
import { diagnose } from '../doctor/index.ts'
import { direct } from './addresses.ts'
import type { ServiceOptions } from './app.ts'
import type { DatabaseOutage } from './database-outage.ts'
import { type Backups, backupInProcess, keepBackups } from './keep-backups.ts'
import { ServiceDoctor } from './service-doctor.ts'

/** Looks at the codex of new tasks, with what it would be started with. */
export function doctorOf({ env, dataDir }: Pick<ServiceOptions, 'env' | 'dataDir'>): ServiceDoctor {
  const place = { env: { ...env, ...direct(env) }, dataFolder: dataDir }
  return new ServiceDoctor({
    diagnose: ({ signal }) => diagnose({ ...place, codexPath: undefined, codexHome: undefined, signal }),
    now: Date.now,
  })
}

/** For work that one service does for all that share the database. */
export function queueOf(
  { settings, tell }: Pick<ServiceOptions, 'settings' | 'tell'>,
  outage: DatabaseOutage,
): Promise<Queue> {
  const onError = (error: unknown) =>
    void outage.hearOfPart(error, () => tell(`upkeep failed: ${String(error)}`))
  return openQueue({ url: settings.database, now: Date.now, onError })
}

/** null: of PostgreSQL its own tools make them. */
export function backupsOf(
  { file }: Store,
  { self, dataDir, env, tell }: Pick<ServiceOptions, 'self' | 'dataDir' | 'env' | 'tell'>,
): Backups | null {
  if (file === null) return null
  const make = (to: string, options: { signal: AbortSignal }) =>
    backupInProcess(to, { self, dataDir, env }, options)
  return keepBackups(file, { tell, now: Date.now, make })
}
