import { randomBytes } from 'node:crypto'
import { CODE_MS } from './credentials.ts'
import { digestOf } from './digest.ts'

const MAX_CODES = 100

interface LoginCode {
  readonly expiresAt: number
  readonly mark: string
}

export interface LoginCodesOptions {
  readonly now: () => number
  /** Changes with the token: a code does not outlive the one it was made under. */
  readonly tokenMark: () => string
}

/** Codes for login links. Each works once; only their digests are kept, and not beyond the process. */
export class LoginCodes {
  readonly #options: LoginCodesOptions
  readonly #codes = new Map<string, LoginCode>()

  constructor(options: LoginCodesOptions) {
    this.#options = options
  }

  make(): { code: string; expiresAt: number } {
    const { now, tokenMark } = this.#options
    this.#forgetOld()
    const code = randomBytes(32).toString('base64url')
    const expiresAt = now() + CODE_MS
    this.#codes.set(digestOf(code), { expiresAt, mark: tokenMark() })
    return { code, expiresAt }
  }

  /** Whether it was valid; from now on it is not. */
  take(code: string): boolean {
    const { now, tokenMark } = this.#options
    const key = digestOf(code)
    const found = this.#codes.get(key)
    this.#codes.delete(key)
    return found !== undefined && found.expiresAt > now() && found.mark === tokenMark()
  }

  #forgetOld(): void {
    const now = this.#options.now()
    for (const [key, { expiresAt }] of this.#codes)
      if (expiresAt <= now || this.#codes.size >= MAX_CODES) this.#codes.delete(key)
  }
}
