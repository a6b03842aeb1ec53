// Errors that say that the database cannot be used for now, whoever throws them: for doors, which tell people to try
// again. Everything else is a mistake of ours.
import { StoreError, type StoreErrorCode } from './store-errors.ts'

const TROUBLE: ReadonlySet<StoreErrorCode> = new Set([
  'database-unreachable',
  'database-login-failed',
  'database-not-found',
  'database-full',
  'database-refused',
])

/** Errors of queries whose connection was gone. pg gives such an error no code. */
const lost = new WeakSet<object>()

export function noteLostConnection(error: unknown): void {
  if (error instanceof Error) lost.add(error)
}

/** null: the error says nothing of the kind. */
export function databaseTrouble(error: unknown): StoreError | null {
  if (error instanceof StoreError) return TROUBLE.has(error.code) ? error : null
  if (!(error instanceof Error)) return null
  const { code, message, severity } = error as Error & { code?: unknown; severity?: unknown }
  // Only PostgreSQL's have a severity: SQLite's and Node's codes look otherwise.
  const state = typeof code === 'string' && severity !== undefined ? code : ''
  if (lost.has(error) || /^(08|57P0)/.test(state))
    return troubleOf('database-unreachable', `the connection to the database was lost: ${message}`, error)
  if (state === '53300')
    return troubleOf('database-full', `the database has no connection left: ${message}`, error)
  return REFUSED.test(state)
    ? troubleOf('database-refused', `the database refused for now: ${message}`, error)
    : null
}

/** SQLSTATE: no resources, disk full, read-only after a failover, cancelled or timed out, deadlock, lock timeout. */
const REFUSED = /^(53|25006|57014|40001|40P01|55P03)/

function troubleOf(code: StoreErrorCode, message: string, cause: Error): StoreError {
  return new StoreError(code, message, { retryable: true, cause })
}
