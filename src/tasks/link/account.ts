import { DrawbridgeError } from '../../codex/index.ts'
import type { AccountLogin, AccountService, LoginRequest } from '../model/index.ts'
import { accountOf } from './codex-facts.ts'
import { type AccountLink, type DeviceLogin, refusedLogin, startDeviceLogin } from './device-login.ts'

export interface AccountParts {
  /** To the app-server whose account it is. */
  readonly link: () => Promise<AccountLink>
  readonly now: () => number
}

/** codex gives up a quarter of an hour after it has shown a code. */
const CODE_LASTS_MS = 15 * 60_000
/** Should it not say so. */
const GRACE_MS = 60_000

export class CodexAccount implements AccountService {
  readonly #parts: AccountParts
  #login: AccountLogin = { status: 'none' }
  #pending: DeviceLogin | null = null
  #starting: Promise<AccountLogin> | null = null

  constructor(parts: AccountParts) {
    this.#parts = parts
  }

  async read(): Promise<unknown> {
    return accountOf(await this.#codex())
  }

  login(): AccountLogin {
    return this.#login
  }

  async startLogin(request: LoginRequest): Promise<AccountLogin> {
    if (request.type === 'apiKey') return this.#takeKey(request.apiKey)
    if (this.#pending) return this.#login
    this.#starting ??= this.#startDevice().finally(() => {
      this.#starting = null
    })
    return this.#starting
  }

  async cancelLogin(loginId: string): Promise<AccountLogin | null> {
    const login = this.#pending
    if (login?.loginId !== loginId) return null
    await login.cancel()
    if (this.#pending === login) this.#become({ status: 'none' })
    return this.#login
  }

  async logout(): Promise<void> {
    await (await this.#codex()).request('account/logout', undefined)
    this.#become({ status: 'none' })
  }

  async #startDevice(): Promise<AccountLogin> {
    const login = await startDeviceLogin(await this.#parts.link())
    const { loginId, verificationUrl, userCode } = login
    const startedAt = this.#parts.now()
    const expiresAt = startedAt + CODE_LASTS_MS
    this.#become({ status: 'pending', loginId, verificationUrl, userCode, startedAt, expiresAt })
    this.#pending = login
    const timer = setTimeout(() => void this.#expire(login), CODE_LASTS_MS + GRACE_MS).unref()
    void login.ended.then((error) => {
      clearTimeout(timer)
      this.#end(login, error)
    })
    return this.#login
  }

  async #takeKey(apiKey: string): Promise<AccountLogin> {
    const codex = await this.#codex()
    try {
      await codex.request('account/login/start', { type: 'apiKey', apiKey })
    } catch (error) {
      throw withoutKey(refusedLogin(error), apiKey)
    }
    // codex has ended the one that was pending.
    this.#become({ status: 'succeeded', endedAt: this.#parts.now() })
    return this.#login
  }

  async #expire(login: DeviceLogin): Promise<void> {
    this.#end(login, 'the code was not used in time')
    await login.cancel().catch(() => {})
  }

  #end(login: DeviceLogin, error: string | null): void {
    if (this.#pending !== login) return
    const endedAt = this.#parts.now()
    this.#become(
      error === null ? { status: 'succeeded', endedAt } : { status: 'failed', message: error, endedAt },
    )
  }

  /** Whatever was pending is no longer ours to report on. */
  #become(login: AccountLogin): void {
    this.#pending = null
    this.#login = login
  }

  async #codex() {
    return (await this.#parts.link()).codex()
  }
}

/** Whatever codex repeats of it must not reach a log or an answer. */
function withoutKey(error: unknown, apiKey: string): unknown {
  if (!(error instanceof DrawbridgeError) || !error.message.includes(apiKey)) return error
  const { code, retryable, message } = error
  return new DrawbridgeError(message.replaceAll(apiKey, '[key]'), { code, retryable })
}
