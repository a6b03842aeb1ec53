// A login while this service has its lease: planted in its home, saved back whenever codex has renewed it, given back when
// the process that used it is gone.
import { type FSWatcher, watch } from 'node:fs'
import { type Codex, registerSecrets } from '../codex/index.ts'
import { accountRow, borrowAccount, type Db, renewAccount, returnAccount, saveLogin } from '../store/index.ts'
import { AccountError, unknownAccount } from './account-error.ts'
import type { AccountHome } from './account-home.ts'
import { keyIn, type Login, loginOf, readLogin } from './login-text.ts'
import { openLogin, sealLogin } from './seal-login.ts'

export interface HoldingParts {
  readonly db: Db
  /** This worker: the same after a restart. */
  readonly holder: string
  readonly key: () => Promise<Buffer>
  /** Something went wrong in the background, one line. */
  readonly tell: (line: string) => void
  readonly times: HoldingTimes
}

export interface HoldingTimes {
  /** Another worker may take the login after so long without a sign of its holder. */
  readonly leaseMs: number
  readonly renewEveryMs: number
  /** How often auth.json is looked at, besides being watched. */
  readonly lookEveryMs: number
}

export const HOLDING_TIMES: HoldingTimes = {
  leaseMs: 15 * 60_000,
  renewEveryMs: 10_000,
  lookEveryMs: 2_000,
}

/** How soon an account that another worker has is asked for again. */
const BUSY_MS = 20_000

interface Held {
  readonly generation: number
  readonly version: number
  readonly login: Login
  readonly config: string | null
}

export class HeldLogin {
  readonly id: string
  readonly name: string
  readonly home: AccountHome
  readonly #parts: HoldingParts
  readonly #onLost: (why: string) => void
  readonly #generation: number
  readonly #config: string | null
  readonly #key: string | null
  readonly #account: string
  readonly #forget: (() => void)[] = []
  #saved: string
  #version: number
  #goodUntil: number
  #isLost = false
  #watcher: FSWatcher | null = null
  #timers: NodeJS.Timeout[] = []
  #saving: Promise<void> = Promise.resolve()

  private constructor(
    { id, name, home }: { id: string; name: string; home: AccountHome },
    { generation, version, login, config }: Held,
    { parts, onLost }: { parts: HoldingParts; onLost: (why: string) => void },
  ) {
    this.id = id
    this.name = name
    this.home = home
    this.#parts = parts
    this.#onLost = onLost
    this.#generation = generation
    this.#version = version
    this.#config = config
    this.#key = keyIn(login)
    this.#account = login.account
    this.#saved = login.text
    this.#goodUntil = performance.now() + parts.times.leaseMs
    this.#forget.push(registerSecrets(login.secrets))
  }

  /** Takes the lease and plants the login. Rejects with `account-busy` when another worker has it. */
  static async take(
    id: string,
    home: AccountHome,
    options: { parts: HoldingParts; onLost: (why: string) => void },
  ): Promise<HeldLogin> {
    const { db, holder, times, key } = options.parts
    const before = await accountRow(db, { id })
    if (!before) throw unknownAccount(id)
    // Before the lease is taken: a login that cannot be opened stays as it is.
    openLogin(before.login, await key(), { accountId: id, version: before.login_version })
    const lease = await borrowAccount(db, { id, holder }, times)
    if (!lease)
      throw new AccountError(
        'account-busy',
        `the account ${before.name} is used by another worker: it waits until that lets go of it`,
        { retryAfterMs: BUSY_MS },
      )
    const { name, lease_generation: generation, login_version: version } = lease.account
    const stored = openLogin(lease.account.login, await key(), { accountId: id, version })
    const login = loginOf(stored.auth)
    if (!login) throw new AccountError('bad-login', `what is stored for ${name} is no login: add it again`)
    home.plant(stored, { generation, keptIn: keyIn(login) === null ? 'file' : 'memory' })
    return new HeldLogin({ id, name, home }, { generation, version, login, config: stored.config }, options)
  }

  /** Takes up a lease that an earlier service of this data folder left. null: it was lost meanwhile. */
  static async resume(
    id: string,
    home: AccountHome,
    options: { parts: HoldingParts; onLost: (why: string) => void },
  ): Promise<HeldLogin | null> {
    const { db, holder, times, key } = options.parts
    const generation = home.plantedGeneration()
    const lease = generation === null ? null : await renewAccount(db, { id, holder, generation }, times)
    if (!lease || generation === null) return null
    const { name, login_version: version } = lease.account
    const stored = openLogin(lease.account.login, await key(), { accountId: id, version })
    const login = loginOf(stored.auth)
    if (!login) return null
    const held = new HeldLogin(
      { id, name, home },
      { generation, version, login, config: stored.config },
      options,
    )
    await held.saveBack()
    return held
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Codex has to be told it before its first turn. */
  get isTold(): boolean {
    return this.#key !== null
  }

  async tell(codex: Pick<Codex, 'request'>): Promise<void> {
    if (this.#key !== null) await codex.request('account/login/start', { type: 'apiKey', apiKey: this.#key })
  }

  /** For a codex that only one program can talk to: it reads the login from its file when it starts. */
  plantInFile(): void {
    const stored = { auth: this.#saved, config: this.#config }
    this.home.plant(stored, { generation: this.#generation, keptIn: 'file' })
  }

  /** While codex runs on it: watches the file, and keeps the lease. */
  keep(): void {
    this.#stop()
    const { renewEveryMs, lookEveryMs } = this.#parts.times
    const look = () => void this.saveBack().catch((error) => this.#parts.tell(this.#told(error)))
    const renew = () => void this.renew().catch((error) => this.#parts.tell(this.#told(error)))
    this.#timers = [setInterval(look, lookEveryMs).unref(), setInterval(renew, renewEveryMs).unref()]
    try {
      this.#watcher = watch(this.home.path, { persistent: false }, (_, file) => {
        if (file === null || file === 'auth.json') look()
      })
      this.#watcher.on('error', () => {})
    } catch {
      // The timer looks too.
    }
  }

  /** Whether it is still this worker's. Rejects when the store does not answer while the lease may still be good. */
  async renew(): Promise<boolean> {
    if (this.#isLost) return false
    const { db, times } = this.#parts
    const since = performance.now()
    const lease = await renewAccount(db, this.#lease, times).catch((error: unknown) => {
      if (performance.now() < this.#goodUntil) throw error
      return null
    })
    if (lease) this.#goodUntil = since + lease.lastsMs
    else this.#lose('its lease was taken, or could not be renewed in time')
    return lease !== null
  }

  /** Stores what codex has made of the login since. One at a time. */
  saveBack(): Promise<void> {
    const saving = this.#saving.then(() => this.#saveNow())
    this.#saving = saving.catch(() => {})
    return saving
  }

  /** Codex is gone: the login is saved, taken out of the home, and free for others. What is lost is not saved. */
  async giveBack(): Promise<void> {
    this.#stop()
    if (!this.#isLost) {
      // A login that cannot be saved stays in the home, under its lease, and is tried again at the next start.
      await this.saveBack()
      this.home.clear()
      await returnAccount(this.#parts.db, this.#lease)
    } else this.home.clear()
    for (const forget of this.#forget) forget()
  }

  /** The service ends, and codex goes on without it: the lease stays. */
  async leave(): Promise<void> {
    this.#stop()
    await this.saveBack()
  }

  async #saveNow(): Promise<void> {
    if (this.#isLost) return
    const login = await readLogin(this.home.authFile)
    // Logged out, half written, or another login: what is stored stays.
    if (!login || login.text === this.#saved || login.account !== this.#account) return
    this.#forget.push(registerSecrets(login.secrets))
    const { db, key } = this.#parts
    const version = this.#version
    const content = { auth: login.text, config: this.#config }
    const sealed = sealLogin(content, await key(), { accountId: this.id, version: version + 1 })
    const isSaved =
      (await saveLogin(db, this.#lease, { login: sealed, version })) || (await this.#isStored(sealed))
    if (!isSaved) return this.#lose('its lease was taken')
    this.#saved = login.text
    this.#version = version + 1
  }

  /** Only the reply to an earlier try was lost. */
  async #isStored(sealed: string): Promise<boolean> {
    return (await accountRow(this.#parts.db, { id: this.id }))?.login === sealed
  }

  get #lease() {
    return { id: this.id, holder: this.#parts.holder, generation: this.#generation }
  }

  #lose(why: string): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#stop()
    this.#onLost(why)
  }

  #stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#watcher?.close()
    this.#watcher = null
  }

  #told(error: unknown): string {
    return `the login of the account ${this.name} could not be saved: ${error instanceof Error ? error.message : error}`
  }
}
