/** SQLite's primary result codes that mean something to us. */
const BUSY = 5
const CORRUPT = 11
const FULL = 13
const NOTADB = 26

/** null: not an error of SQLite's. */
function sqliteCode(error: unknown): number | null {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : null
}

export function isSqliteError(error: unknown): boolean {
  return sqliteCode(error) !== null
}

/** SQLite's word for it, or the system's. */
export function isDiskFull(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return sqliteCode(error) === FULL || code === 'ENOSPC' || code === 'EDQUOT'
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY
}

/** What is in the file is wrong, as opposed to not to be had: no rights, a full disk, somebody else's lock. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === CORRUPT || code === NOTADB
}
