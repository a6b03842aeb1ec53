// What the log of one worker has to do with the others. With SQLite nothing of it is loaded.
import type { Bus, OpenBusOptions } from './bus/index.ts'
import type { SharedLog } from './log/shared-log.ts'

export interface OpenSharedOptions extends OpenBusOptions {
  /** How often what others store is looked for. */
  readonly pollMs?: number
}

export interface OpenShared {
  readonly bus: Bus
  /** For one `EventLog`. */
  readonly shared: SharedLog
  /** Before the database is closed. */
  close(): Promise<void>
}

export async function openShared(options: OpenSharedOptions): Promise<OpenShared> {
  const { openBus } = await import('./bus/index.ts')
  const { SharedLog } = await import('./log/shared-log.ts')
  const { db, self, pollMs } = options
  const bus = await openBus(options)
  const shared = new SharedLog({ bus, db, self, ...(pollMs !== undefined && { pollMs }) })
  const close = () => {
    shared.close()
    return bus.close()
  }
  return { bus, shared, close }
}
