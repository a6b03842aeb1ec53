// pg's own pool and how a connection is made. Apart from `pool.ts`, whose types are published: those of pg are not installed
// with this package. pg is loaded when the first pool is made: with SQLite it never is.
import { readFile } from 'node:fs/promises'
import type { ClientConfig, Pool, PoolConfig } from 'pg'
import { StoreError } from '../store-errors.ts'
import { type Address, readAddress } from './address.ts'
import { LOGIN_FAILED } from './connection-error.ts'
import type { PoolOptions } from './pool-options.ts'
import { storeClient } from './store-client.ts'
import { readInteger } from './values.ts'

const INT8 = 20
const KEEP_ALIVE_MS = 10_000

/** pg's own pool. Its errors are pg's. */
export async function openRawPool(options: PoolOptions): Promise<Pool> {
  const config = { ...(await connectionConfig(options)), max: options.poolSize }
  const { Client, Pool, types } = await import('pg')
  const getTypeParser = ((oid: number, format?: 'text') =>
    oid === INT8 ? readInteger : types.getTypeParser(oid, format)) as typeof types.getTypeParser
  const pool = new Pool({
    ...config,
    Client: storeClient(Client, options),
    types: { getTypeParser },
  } as PoolConfig)
  // Of connections that nobody uses. The pool forgets them; the next user gets a new one, or the error.
  pool.on('error', () => {})
  // A connection in use that is lost also emits `error`, which ends the process if nothing listens. Its query rejects.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** How one connection is made, in a pool or alone. */
export async function connectionConfig(options: Omit<PoolOptions, 'poolSize'>): Promise<ClientConfig> {
  const address = readAddress(options.url)
  const { host, port, database, user, password } = address
  return {
    host,
    port,
    database,
    user,
    // A function, because without a password pg would take one from the environment or a file in the home folder.
    password: password ?? noPassword,
    application_name: address.applicationName ?? options.applicationName,
    statement_timeout: options.statementTimeoutMs,
    connectionTimeoutMillis: options.connectTimeoutMs,
    // A worker that is frozen or cut off in a transaction holds the lock of its own row: it could not be declared lost.
    idle_in_transaction_session_timeout: options.idleInTransactionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ssl: await tlsOf(address),
  }
}

/** Called only if the server asks for one. */
function noPassword(): never {
  throw Object.assign(new Error('the server asks for a password'), { code: LOGIN_FAILED })
}

async function tlsOf({ tls, rootCertificate }: Address): Promise<NonNullable<ClientConfig['ssl']>> {
  if (tls === 'disable') return false
  const ca = rootCertificate === null ? undefined : await readCertificate(rootCertificate)
  if (tls === 'verify-full') return { rejectUnauthorized: true, ...(ca && { ca }) }
  // As libpq has it: with a root certificate the chain is checked, and only the name is not.
  return ca ? { ca, checkServerIdentity: () => undefined } : { rejectUnauthorized: false }
}

async function readCertificate(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new StoreError('bad-database-url', `cannot read sslrootcert: ${(cause as Error).message}`, {
      cause,
    })
  }
}
