import { StoreError } from '../store-errors.ts'
import type { Address } from './address.ts'

/** SQLSTATE of a wrong password. */
export const LOGIN_FAILED = '28P01'

/** Why there is no connection, in a sentence that says where and what to do. `shown` is the url without its password. */
export function connectionError(error: unknown, shown: string, address: Address): StoreError {
  if (error instanceof StoreError) return error
  const { code, message } = error as { code?: string; message: string }
  const known = code === undefined ? undefined : BY_CODE[code]
  if (known) return known(shown, address, error)
  const said = message || code || 'the connection failed'
  const hint = tlsHint(address, code, message)
  return new StoreError('database-unreachable', `cannot connect to ${shown}: ${said}.${hint}`, {
    retryable: hint === '',
    cause: error,
  })
}

type Sentence = (shown: string, address: Address, cause: unknown) => StoreError

const loginFailed: Sentence = (shown, { user, password }, cause) => {
  const given = password === undefined ? 'no password was given' : 'check the password'
  const why = (cause as Error).message
  return new StoreError(
    'database-login-failed',
    `${shown} does not let the user ${user} in: ${why} (${given})`,
    { cause },
  )
}

const noSuchDatabase: Sentence = (shown, { database }, cause) =>
  new StoreError(
    'database-not-found',
    `there is no database ${database} at ${shown}. Create it: createdb ${database}`,
    { cause },
  )

const noneLeft: Sentence = (shown, _, cause) =>
  new StoreError(
    'database-full',
    `${shown} has no connection left. Raise its max_connections, or use smaller pools`,
    { retryable: true, cause },
  )

/** PostgreSQL's SQLSTATE. */
const BY_CODE: Readonly<Record<string, Sentence>> = {
  [LOGIN_FAILED]: loginFailed,
  '28000': loginFailed,
  '3D000': noSuchDatabase,
  '53300': noneLeft,
}

/** pg reports a server without TLS in words only. The sentence is for people; nothing is decided by it. */
function tlsHint({ tls }: Address, code: string | undefined, message: string): string {
  if (tls === 'disable') return ''
  if (message.includes('does not support SSL'))
    return ' Add sslmode=disable to the address to connect without TLS.'
  if (code?.includes('CERT') || code?.includes('VERIFY') || code?.includes('ISSUER'))
    return ' Name the certificate to trust with sslrootcert in the address.'
  return ''
}
