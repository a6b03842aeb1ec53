import { DrawbridgeError } from '../codex/index.ts'

export type AccountErrorCode =
  | 'account-not-found'
  /** The name, or the login itself, is there already. */
  | 'account-exists'
  /** Another worker uses it, its codex is being replaced, or every account of a pool is at its limit: it can be had later. */
  | 'account-busy'
  /** The key of this data folder does not open the stored login. */
  | 'account-key'
  /** OpenAI was not told of a logout. */
  | 'revoke-failed'
  /** What was given is no login, or codex did not take it. */
  | 'bad-login'

export class AccountError extends DrawbridgeError {
  declare readonly code: AccountErrorCode
  /** When to try again, or after how long; absent: soon. */
  readonly retryAt?: number
  readonly retryAfterMs?: number

  constructor(
    code: AccountErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly retryAt?: number; readonly retryAfterMs?: number } = {},
  ) {
    super(message, { code, retryable: code === 'account-busy', cause: options.cause })
    if (options.retryAt !== undefined) this.retryAt = options.retryAt
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}

export function unknownAccount(name: string): AccountError {
  return new AccountError(
    'account-not-found',
    `there is no account ${name}: \`drawbridge account list\` shows those there are`,
  )
}

export function inUse(name: string): AccountError {
  return new AccountError(
    'account-busy',
    `the account ${name} is in use: wait until its tasks are idle, or disable it first so that no more begin`,
  )
}
