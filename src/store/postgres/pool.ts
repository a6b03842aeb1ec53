import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { Database } from '../schema.ts'
import { readAddress, shownUrl } from './address.ts'
import { connectionError } from './connection-error.ts'
import type { PoolOptions } from './pool-options.ts'
import { openRawPool } from './raw-pool.ts'

export async function openPool(options: PoolOptions): Promise<Kysely<Database>> {
  const address = readAddress(options.url)
  const pool = await openRawPool(options)
  const told: PostgresPool = {
    options: {},
    connect: () =>
      pool.connect().catch((error: unknown) => {
        throw connectionError(error, shownUrl(options.url), address)
      }) as ReturnType<PostgresPool['connect']>,
    end: () => pool.end(),
  }
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: told }) })
}
