import type {
  AccountPool,
  AddLentAccount,
  ChangeAccountPool,
  ChangeLentAccount,
  CheckedAccount,
  LentAccount,
  LentLogin,
  StartLentLogin,
} from '../contract.ts'
import type { Http } from './http.ts'
import type { CallOptions } from './task-calls.ts'

/** The accounts that tasks borrow. */
export class AccountsCalls {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  async list(options: CallOptions = {}): Promise<LentAccount[]> {
    return (await this.#http.json<{ items: LentAccount[] }>('GET', '/v1/accounts', options)).items
  }

  add(account: AddLentAccount, options: CallOptions = {}): Promise<LentAccount> {
    return this.#http.json('POST', '/v1/accounts', { body: account, ...options })
  }

  startLogin(account: StartLentLogin, options: CallOptions = {}): Promise<LentLogin> {
    return this.#http.json('POST', '/v1/account-logins', { body: account, ...options })
  }

  login(options: CallOptions = {}): Promise<LentLogin> {
    return this.#http.json('GET', '/v1/account-logins', options)
  }

  cancelLogin(options: CallOptions = {}): Promise<void> {
    return this.#http.json('DELETE', '/v1/account-logins', options)
  }

  check(name: string, options: CallOptions = {}): Promise<CheckedAccount> {
    return this.#http.json('POST', `${placeOf(name)}/check`, options)
  }

  change(name: string, fields: ChangeLentAccount, options: CallOptions = {}): Promise<LentAccount> {
    return this.#http.json('PATCH', placeOf(name), { body: fields, ...options })
  }

  remove(name: string, options: CallOptions = {}): Promise<void> {
    return this.#http.json('DELETE', placeOf(name), options)
  }

  revoke(name: string, options: CallOptions = {}): Promise<void> {
    return this.#http.json('POST', `${placeOf(name)}/revoke`, { body: { confirm: name }, ...options })
  }

  async pools(options: CallOptions = {}): Promise<AccountPool[]> {
    return (await this.#http.json<{ items: AccountPool[] }>('GET', '/v1/account-pools', options)).items
  }

  changePool(name: string, fields: ChangeAccountPool, options: CallOptions = {}): Promise<AccountPool> {
    const place = `/v1/account-pools/${encodeURIComponent(name)}`
    return this.#http.json('PATCH', place, { body: fields, ...options })
  }
}

function placeOf(name: string): string {
  return `/v1/accounts/${encodeURIComponent(name)}`
}
