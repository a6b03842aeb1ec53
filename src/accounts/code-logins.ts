import type { AccountLogin } from '../tasks/index.ts'
import { AccountError } from './account-error.ts'
import type { Login } from './login-text.ts'
import type { DeviceLogin } from './new-login.ts'

/** A login by code for a new account; the account is there when it has succeeded. */
export type PendingAccount = AccountLogin & { readonly name: string }

interface Pending {
  readonly name: string
  readonly login: DeviceLogin
  readonly stored: Promise<void>
  error: string | null
  endedAt: number | null
}

/** The login by code of a service: one at a time, and how the last one ended. */
export class CodeLogins {
  readonly #now: () => number
  #isStarting = false
  #pending: Pending | null = null

  constructor({ now }: { readonly now: () => number }) {
    this.#now = now
  }

  async start(
    name: string,
    { open, store }: { open: () => Promise<DeviceLogin>; store: (login: Login) => Promise<unknown> },
  ): Promise<PendingAccount> {
    if (this.#isStarting || (this.#pending && this.#pending.endedAt === null))
      throw new AccountError('account-exists', 'a login by code is pending: finish or cancel it first')
    this.#isStarting = true
    const login = await open().finally(() => {
      this.#isStarting = false
    })
    const stored = login.login
      .then(async (made) => void (await store(made)))
      .catch((error: unknown) => {
        pending.error = error instanceof Error ? error.message : String(error)
      })
      .finally(() => {
        pending.endedAt = this.#now()
      })
    const pending: Pending = { name, login, stored, error: null, endedAt: null }
    this.#pending = pending
    return { ...login.started, name }
  }

  /** null: there was none since the service started. */
  last(): PendingAccount | null {
    if (!this.#pending) return null
    const { name, login, error, endedAt } = this.#pending
    if (endedAt === null) return { ...login.started, name }
    return error === null
      ? { status: 'succeeded', endedAt, name }
      : { status: 'failed', message: error, endedAt, name }
  }

  /** Resolves when nothing of it runs any more. */
  async cancel(): Promise<void> {
    const { login, stored } = this.#pending ?? {}
    const state = login?.account.login()
    if (state?.status === 'pending') await login!.account.cancelLogin(state.loginId)
    await stored
  }
}
