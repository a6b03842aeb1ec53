// Whether codex could reach its model at all: some providers need an OpenAI login, and codex does not refuse a turn
// without one. It tries for half a minute, or for ever.
import type { Codex } from './client.ts'
import { DrawbridgeError } from './errors/index.ts'

/** The model provider needs an OpenAI login and codex has none. */
export class NotLoggedInError extends DrawbridgeError {
  /** Which home has none; null: the default one. */
  readonly details: { readonly codexHome: string | null }

  constructor(codexHome: string | null = null) {
    super('Not logged in to OpenAI', { code: 'not-logged-in' })
    this.details = { codexHome }
  }
}

/** No network is needed to say that there is no login; what takes longer is about one there is. */
const ANSWER_MS = 3_000

/** Rejects with NotLoggedInError. A codex that cannot be asked, or does not answer in time, gets the benefit of the doubt. */
export async function requireLogin(
  codex: Pick<Codex, 'request'>,
  { codexHome = null }: { codexHome?: string | null } = {},
): Promise<void> {
  const reply = await codex.request('account/read', {}, { timeoutMs: ANSWER_MS }).catch(() => null)
  const { account, requiresOpenaiAuth } = Object(reply) as { account?: unknown; requiresOpenaiAuth?: unknown }
  if (requiresOpenaiAuth === true && account === null) throw new NotLoggedInError(codexHome)
}
