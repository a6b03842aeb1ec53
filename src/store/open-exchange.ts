import type { Bus, OpenBusOptions } from './bus/index.ts'
import type { Db } from './db.ts'
import type { SharedLog } from './log/shared-log.ts'

/** What ties this process to the others on its store. */
export interface Exchange {
  readonly bus: Bus
  readonly log: SharedLog
  close(): Promise<void>
}

export interface OpenExchangeOptions extends OpenBusOptions {
  /** How often events of other workers are looked for that nobody told of. */
  readonly pollMs: number
  /** What others have stored is read there: writers do not wait for it. */
  readonly reader: Db
}

/** Of a PostgreSQL. Nothing of it is loaded before. */
export async function openExchange({ pollMs, reader, ...options }: OpenExchangeOptions): Promise<Exchange> {
  const [{ openBus }, { SharedLog }] = await Promise.all([
    import('./bus/index.ts'),
    import('./log/shared-log.ts'),
  ])
  const { self } = options
  const bus = await openBus(options)
  const log = new SharedLog({ bus, db: reader, self, pollMs })
  return {
    bus,
    log,
    async close() {
      log.close()
      await bus.close()
    },
  }
}
