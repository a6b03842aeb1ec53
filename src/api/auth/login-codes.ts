import { createHash, randomBytes } from 'node:crypto'

const VALID_MS = 10 * 60_000
const MAX_CODES = 100

/** Codes for login links. Each works once; only their digests are kept, and not beyond the process. */
export class LoginCodes {
  readonly #now: () => number
  readonly #expiries = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  make(): { code: string; expiresAt: number } {
    this.#forgetOld()
    const code = randomBytes(32).toString('base64url')
    const expiresAt = this.#now() + VALID_MS
    this.#expiries.set(digest(code), expiresAt)
    return { code, expiresAt }
  }

  /** Whether it was valid; from now on it is not. */
  take(code: string): boolean {
    const key = digest(code)
    const expiresAt = this.#expiries.get(key)
    this.#expiries.delete(key)
    return expiresAt !== undefined && expiresAt > this.#now()
  }

  #forgetOld(): void {
    for (const [key, expiresAt] of this.#expiries)
      if (expiresAt <= this.#now() || this.#expiries.size >= MAX_CODES) this.#expiries.delete(key)
  }
}

function digest(code: string): string {
  return createHash('sha256').update(code).digest('base64url')
}
