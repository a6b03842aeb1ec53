// Whether a login works, by codex's own word: it is told to renew the login, and asked for the limits.
import type { Codex } from '../codex/index.ts'
import type { AccountFacts } from './account.ts'
import type { AccountKind } from './login-text.ts'
import { readFacts } from './read-facts.ts'

export type Verdict =
  | { readonly verdict: 'alive'; readonly message: string; readonly facts: AccountFacts }
  | { readonly verdict: 'dead'; readonly code: string; readonly message: string }
  | { readonly verdict: 'inconclusive'; readonly message: string; readonly facts: AccountFacts | null }

/** Asks a codex that was started for this, on the planted login. `isRenewed`: auth.json is another than before. */
export async function checkLogin(
  codex: Codex,
  { kind, now, isRenewed }: { kind: AccountKind; now: number; isRenewed: () => Promise<boolean> },
): Promise<Verdict> {
  const { facts, isLoggedIn, hasWindows } = await readFacts(codex, { refresh: kind === 'chatgpt', now })
  if (kind !== 'chatgpt') return withoutRefresh({ facts, isLoggedIn, hasWindows })
  if (isLoggedIn && (await isRenewed()))
    return { verdict: 'alive', message: 'codex has renewed the login', facts }
  if (!isLoggedIn && isRefusedForGood(codex.stderrTail()))
    return {
      verdict: 'dead',
      code: 'refresh-token-refused',
      message: 'OpenAI refuses the refresh token for good: it expired, was used elsewhere, or was revoked',
    }
  const message = isLoggedIn
    ? 'codex could not renew the login now: OpenAI may be out of reach or busy. Nothing was changed'
    : 'OpenAI refused to renew the login for a reason that codex does not know. Nothing was changed'
  return { verdict: 'inconclusive', message, facts: isLoggedIn ? facts : null }
}

/** A key is tried by the first turn; the limits of an access token are asked for with it. */
function withoutRefresh({ facts, isLoggedIn, hasWindows }: Awaited<ReturnType<typeof readFacts>>): Verdict {
  if (isLoggedIn && hasWindows)
    return { verdict: 'alive', message: 'OpenAI accepted the login for its limits', facts }
  const message = isLoggedIn
    ? 'codex has the login; whether it works shows with the first turn'
    : 'codex does not take the stored login. Nothing was changed'
  return { verdict: 'inconclusive', message, facts: isLoggedIn ? facts : null }
}

/**
 * Codex (0.166) says `account: null` for every 400 and 401 of a refresh. Only its log tells the answers that it knows to be
 * final from others: those it warns of as unknown.
 */
export function isRefusedForGood(stderr: readonly string[]): boolean {
  const text = stderr.join('\n')
  return /Failed to refresh token\b.*\b40[01]\b/.test(plain(text)) && !/unknown response/.test(text)
}

/** Without colours. */
function plain(text: string): string {
  return text.replace(/\u001b\[[0-9;]*m/g, '')
}
