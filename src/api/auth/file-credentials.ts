import type { Standing } from './credential.ts'
import { type Credentials, type KnownLogin, OWN_TOKEN } from './credentials.ts'
import { LoginCodes } from './login-codes.ts'
import { Logins } from './logins.ts'
import { CurrentToken } from './token.ts'

/** One service alone: token and logins are files of its data folder, codes are in memory. */
export class FileCredentials implements Credentials {
  readonly areLinksKept = false
  readonly #token: CurrentToken
  readonly #logins: Logins
  readonly #codes: LoginCodes

  constructor({ dataDir, now }: { dataDir: string; now: () => number }) {
    this.#token = new CurrentToken(dataDir)
    this.#logins = new Logins(dataDir, { token: this.#token, now })
    this.#codes = new LoginCodes({ now, tokenMark: () => this.#token.mark() })
  }

  async findToken(given: string): Promise<string | null> {
    return this.#token.matches(given) ? OWN_TOKEN : null
  }

  async checkToken(given: string): Promise<Standing> {
    return this.#token.matches(given) ? 'valid' : 'revoked'
  }

  async findLogin(cookie: string): Promise<KnownLogin | null> {
    return this.#logins.find(cookie)
  }

  async checkLogin(id: string): Promise<Standing> {
    return this.#logins.stands(id) ? 'valid' : 'revoked'
  }

  async listLogins(): Promise<readonly KnownLogin[]> {
    return this.#logins.list()
  }

  async revokeLogin(id: string): Promise<boolean> {
    return this.#logins.revoke(id)
  }

  async makeCode(): Promise<{ code: string; expiresAt: number }> {
    return this.#codes.make()
  }

  async redeemCode(code: string, { userAgent }: { userAgent: string | null }): Promise<string | null> {
    return this.#codes.take(code) ? this.#logins.add(userAgent) : null
  }

  close(): void {
    // Nothing is open.
  }
}
