import type { Codex } from '../codex/index.ts'
import { AccountError } from './account-error.ts'

/** Codex (0.166) answers a logout with success, and deletes its file, also when OpenAI was not told; only its log says so. */
const NOT_REVOKED = /failed to revoke auth tokens/

/** Ends the login wherever it was copied to, and this codex. Rejects when OpenAI could not be told. */
export async function logOut(codex: Codex): Promise<void> {
  try {
    await codex.request('account/logout', undefined)
  } finally {
    // What it logs is whole once it has ended.
    await codex.close()
  }
  if (!codex.stderrTail().some((line) => NOT_REVOKED.test(line))) return
  throw new AccountError(
    'revoke-failed',
    'OpenAI could not be told to revoke the login, so it is still good. Nothing was deleted: try again, or end it on the ' +
      'security page of the account and delete the copy with `drawbridge account rm`',
  )
}
