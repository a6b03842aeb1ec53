// What a door asks of the place where credentials are kept: files of the data folder, or a store that several share.
import type { Standing } from './credential.ts'

export const LOGIN_MS = 30 * 24 * 3_600_000
export const CODE_MS = 10 * 60_000
/** Of the token in this data folder, at this door. */
export const OWN_TOKEN = 'token'

/** A browser that is let in. */
export interface KnownLogin {
  readonly id: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly userAgent: string | null
}

/** One try to be let in. */
export interface Attempt {
  /** Before a search for something that may be a guess. Throws `too-many-requests`. */
  count(): void
}

/** Rejects with `database-unreachable` when it cannot be known who is let in, and never waits long to say so. */
export interface Credentials {
  /** Whether a login link outlives this process. */
  readonly areLinksKept: boolean
  /** The id of a token: `OWN_TOKEN`, or another's. null: it does not count. */
  findToken(given: string, attempt: Attempt): Promise<string | null>
  /** For a token that was let in. Never rejects. */
  checkToken(given: string): Promise<Standing>
  /** The login a cookie stands for; null when it is forged, expired or revoked. */
  findLogin(cookie: string, attempt: Attempt): Promise<KnownLogin | null>
  /** For a login that was let in. Never rejects. */
  checkLogin(id: string): Promise<Standing>
  /** Those that are let in, oldest first. */
  listLogins(): Promise<readonly KnownLogin[]>
  /** Whether there was one. */
  revokeLogin(id: string): Promise<boolean>
  /** A code for a login link. It works once, and ends with this token, as does the login that comes of it. */
  makeCode(tokenId: string): Promise<{ readonly code: string; readonly expiresAt: number }>
  /** Uses a code up and lets a browser in. Returns the cookie's value; null when the code does not count. */
  redeemCode(
    code: string,
    options: { readonly userAgent: string | null; readonly attempt: Attempt },
  ): Promise<string | null>
  close(): void
}

/** As much of it as is kept. */
export function shortUserAgent(userAgent: string | null): string | null {
  return userAgent?.slice(0, 300) ?? null
}
