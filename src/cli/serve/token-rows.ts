import type { TokenRows } from '../../api/index.ts'
import { allTokens, type Db, insertToken, noteTokenUse, revokeToken, validToken } from '../../store/index.ts'

/** For `serveApi`: named tokens are kept with the tasks they start. */
export function tokenRows(db: Db): TokenRows {
  return {
    insert: (token) => insertToken(db, token),
    valid: (by) => validToken(db, by),
    all: () => allTokens(db),
    revoke: (named, options) => revokeToken(db, named, options),
    used: (id) => noteTokenUse(db, id),
  }
}
