// Connections. pg is loaded when the first pool is made: with SQLite it never is.
import { readFile } from 'node:fs/promises'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import type { ClientConfig, PoolConfig } from 'pg'
import type { Database } from '../schema.ts'
import { StoreError } from '../store-errors.ts'
import { type Address, readAddress, shownUrl } from './address.ts'
import { connectionError, LOGIN_FAILED } from './connection-error.ts'
import { storeClient } from './store-client.ts'
import { readInteger } from './values.ts'

export interface PoolOptions {
  readonly url: string
  readonly poolSize: number
  /** 0: none. */
  readonly statementTimeoutMs: number
  /** A connection without an answer for this long is given up: longer than any statement may take. 0: never. */
  readonly replyTimeoutMs: number
  readonly connectTimeoutMs: number
  /** After this the server ends a session that does nothing in a transaction. 0: never. */
  readonly idleInTransactionMs: number
  /** What the server shows of us, unless the url says it. */
  readonly applicationName: string
}

const INT8 = 20
const KEEP_ALIVE_MS = 10_000

export async function openPool(options: PoolOptions): Promise<Kysely<Database>> {
  const address = readAddress(options.url)
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

/** How one connection is made, in a pool or alone. */
export async function connectionConfig(
  options: Omit<PoolOptions, 'poolSize' | 'replyTimeoutMs'>,
): Promise<ClientConfig> {
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
