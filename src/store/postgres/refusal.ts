// What an error of PostgreSQL means for the transaction it ended. Decided by SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html

/** The database takes this statement at no time (wrong data, wrong SQL, too large), or it never got there: a bug of ours. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
    return true
  return ['22', '23', '42', '54'].includes(stateOf(error)?.slice(0, 2) ?? '')
}

/** Two transactions were in each other's way, or the server cannot go on just now: run again, it may go through. */
export function isCollision(error: unknown): boolean {
  const state = stateOf(error) ?? ''
  return (
    ['40001', '40P01', '55P03'].includes(state) ||
    ['08', '53', '57P', '58'].some((kind) => state.startsWith(kind))
  )
}

/** A unique key is there already. */
export function isDoubled(error: unknown): boolean {
  return stateOf(error) === '23505'
}

/** null: not an answer of the server. */
function stateOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null
}
