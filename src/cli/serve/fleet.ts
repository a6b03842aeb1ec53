// What this service is to the others that share its PostgreSQL.
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Settings } from '../../config/index.ts'
import { type Exchange, openExchange, type Store } from '../../store/index.ts'
import { FLEET_DEFAULTS, type FleetOptions } from '../../tasks/index.ts'
import { workerIdOf, workerPlaceOf } from '../service/index.ts'

export interface OpenFleetOptions {
  readonly dataDir: string
  readonly settings: Pick<Settings, 'database' | 'worker'>
  /** Where its API is reached; null while it does not listen yet. */
  readonly url: () => string | null
  readonly onError: (error: unknown) => void
}

export interface OpenFleet {
  readonly options: FleetOptions
  readonly exchange: Exchange
}

/** null on SQLite. */
export async function openFleet(
  { kind, db, reader }: Pick<Store, 'kind' | 'db' | 'reader'>,
  { dataDir, settings, url, onError }: OpenFleetOptions,
): Promise<OpenFleet | null> {
  if (kind !== 'postgres') return null
  const id = workerIdOf(dataDir)
  const { pollMs } = FLEET_DEFAULTS
  const exchange = await openExchange({
    ...{ url: settings.database!, db, reader, pollMs, onError, self: `${id} ${randomUUID()}` },
  })
  const machine = hostname()
  const { name = machine, labels, leaseMs } = settings.worker
  const place = workerPlaceOf(dataDir)
  return { exchange, options: { id, place, name, machine, labels, leaseMs, pollMs, url, exchange } }
}
