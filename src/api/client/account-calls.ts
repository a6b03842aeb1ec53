import type { AccountLogin, StartAccountLogin } from '../contract.ts'
import type { Http } from './http.ts'
import type { CallOptions } from './task-calls.ts'

export class AccountCalls {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /** As codex tells it, with its limits. */
  read(options: CallOptions = {}): Promise<unknown> {
    return this.#http.json('GET', '/v1/account', options)
  }

  login(options: CallOptions = {}): Promise<AccountLogin> {
    return this.#http.json('GET', '/v1/account/login', options)
  }

  /** By a code, that is pending then; with a key, done. */
  startLogin(login: StartAccountLogin, options: CallOptions = {}): Promise<AccountLogin> {
    return this.#http.json('POST', '/v1/account/login', { body: login, ...options })
  }

  cancelLogin(loginId: string, options: CallOptions = {}): Promise<AccountLogin> {
    return this.#http.json('DELETE', `/v1/account/login/${encodeURIComponent(loginId)}`, options)
  }

  logout(options: CallOptions = {}): Promise<void> {
    return this.#http.json('POST', '/v1/account/logout', options)
  }
}
