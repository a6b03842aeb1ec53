import { asParams, textOf } from '../transcript/params.ts'

/** Codex says that it needs a login and has none. Nothing is claimed where it cannot be asked. */
export function isLoggedOut(account: unknown): boolean {
  const { requiresOpenaiAuth, account: who = null } = asParams(account)
  return requiresOpenaiAuth === true && who === null
}

/** Whose it is, to end a sentence: ` as jane@example.com`. */
export function nameOf(account: unknown): string {
  const { type, email } = asParams(asParams(account).account)
  if (type === 'apiKey') return ' with an API key'
  return textOf(email) === null ? '' : ` as ${email}`
}
