// The app-servers of a service, where those on the home of an account run only while the service has its lease: it is
// taken and planted before codex starts, and given back when codex is gone.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { openCodex } from '../codex/index.ts'
import type { AppServerKey, AppServers, RunningAppServer } from '../tasks/index.ts'
import { AccountError } from './account-error.ts'
import { AccountHome, homesIn } from './account-home.ts'
import { HeldLogin, type HoldingParts } from './held-login.ts'

/** One whose process can be ended at once. */
export interface EndableAppServer extends RunningAppServer {
  /** Something works in it, or is about to. */
  readonly isNeeded: boolean
  end(why: string): Promise<void>
}

/** What runs codex, with processes that can be ended. */
export interface EndableAppServers extends AppServers {
  adopt(options: { signal?: AbortSignal }): Promise<readonly EndableAppServer[]>
  get(key: AppServerKey, options: { signal?: AbortSignal }): Promise<EndableAppServer>
}

interface Lent {
  readonly login: HeldLogin
  server: EndableAppServer | null
}

export class LentAppServers implements AppServers {
  readonly #inner: EndableAppServers
  readonly #parts: HoldingParts
  readonly #folder: string
  readonly #lent = new Map<string, Lent>()
  /** One thing at a time is done with an account. */
  readonly #queues = new Map<string, Promise<unknown>>()

  /** The data folder must be there. */
  constructor(inner: EndableAppServers, { dataDir, ...parts }: HoldingParts & { readonly dataDir: string }) {
    this.#inner = inner
    this.#parts = parts
    this.#folder = accountsFolder(dataDir)
  }

  canonical(key: AppServerKey): AppServerKey {
    return this.#inner.canonical(key)
  }

  list() {
    return this.#inner.list()
  }

  async get(key: AppServerKey, options: { signal?: AbortSignal }): Promise<RunningAppServer> {
    const id = this.accountAt(key.codexHome)
    if (id === null) return this.#inner.get(key, options)
    return this.alone(id, () => this.#lend(id, key, options))
  }

  /** Takes up the leases of those that run, and brings in the logins that an earlier service could not save. */
  async adopt(options: { signal?: AbortSignal }): Promise<readonly RunningAppServer[]> {
    const kept: RunningAppServer[] = []
    for (const server of await this.#inner.adopt(options)) {
      const id = this.accountAt(server.key.codexHome)
      if (id === null || (await this.alone(id, () => this.#takeUp(id, server)))) kept.push(server)
    }
    for (const id of homesIn(this.#folder))
      await this.alone(id, () => this.#bringIn(id)).catch((error: unknown) =>
        this.#parts.tell(`the account ${id}: ${error instanceof Error ? error.message : error}`),
      )
    return kept
  }

  release(): Promise<void> {
    return this.#inner.release()
  }

  /** After the app-servers were let go of or ended: every login is saved. */
  async close(): Promise<void> {
    // One that is just being given back is no longer among the lent.
    const ids = new Set([...this.#lent.keys(), ...this.#queues.keys()])
    await Promise.all(
      [...ids].map((id) =>
        this.alone(id, async () => {
          const lent = this.#lent.get(id)
          if (!lent) return
          if (lent.server?.isAlive()) await lent.login.leave()
          else await this.#giveBack(id, lent)
        }).catch((error: unknown) => this.#parts.tell(String(error))),
      ),
    )
  }

  /** The account whose home this is; null: it is none of ours. */
  accountAt(codexHome: string | null): string | null {
    if (codexHome === null) return null
    const [id, name, ...more] = path.relative(this.#folder, codexHome).split(path.sep)
    return id && id !== '..' && name === 'home' && more.length === 0 ? id : null
  }

  homeOf(id: string): AccountHome {
    return new AccountHome(this.#folder, id)
  }

  /** The app-server that has the login now; null: none has. */
  serverOf(id: string): EndableAppServer | null {
    const server = this.#lent.get(id)?.server
    return server?.isAlive() ? server : null
  }

  /** Before a turn in an app-server that runs: false when its login is no longer ours to use. */
  async mayUse(id: string): Promise<boolean> {
    const lent = this.#lent.get(id)
    return !lent || lent.login.renew()
  }

  /** Nothing else is done with the account meanwhile. */
  alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(id) ?? Promise.resolve()
    const result = before.then(work)
    const settled = result.catch(() => {})
    this.#queues.set(id, settled)
    void settled.then(() => {
      if (this.#queues.get(id) === settled) this.#queues.delete(id)
    })
    return result
  }

  /** In `alone`: ends an app-server that nobody needs now, and gives its login back. False: it is at work. */
  async settle(id: string): Promise<boolean> {
    const server = this.serverOf(id)
    if (server) {
      if (server.isNeeded) return false
      await server.end('the login of its account is changed or removed')
    }
    await this.#clear(id)
    return true
  }

  /** In `alone`, while no app-server runs on it: the login planted, for something short. */
  async withLogin<T>(id: string, work: (login: HeldLogin) => Promise<T>): Promise<T> {
    await this.#clear(id)
    const lent = await this.#take(id)
    try {
      return await work(lent.login)
    } finally {
      await this.#giveBack(id, lent)
    }
  }

  async #lend(id: string, key: AppServerKey, options: { signal?: AbortSignal }): Promise<EndableAppServer> {
    if (!this.serverOf(id)) await this.#clear(id)
    const known = this.#lent.get(id)
    if (known && !(await known.login.renew())) throw lostLease(known.login.name)
    const lent = known ?? (await this.#take(id))
    try {
      const server = await this.#started(lent, key, options)
      if (lent.server !== server) this.#watch(id, lent, server)
      return server
    } catch (error) {
      if (!lent.server) await this.#giveBack(id, lent)
      throw error
    }
  }

  /** One that knows its login. */
  async #started(
    { login, server: known }: Lent,
    key: AppServerKey,
    options: { signal?: AbortSignal },
  ): Promise<EndableAppServer> {
    const server = await this.#inner.get(key, options)
    if (server === known || !login.isTold) return server
    if (!server.outlivesUs) {
      await server.end('its login has to be in a file')
      login.plantInFile()
      return this.#inner.get(key, options)
    }
    try {
      await using codex = await openCodex(server.host, { redact: true, ...options })
      await login.tell(codex)
      return server
    } catch (error) {
      await server.end('it did not take its login')
      throw error
    }
  }

  /** What a process that is gone has left. */
  async #clear(id: string): Promise<void> {
    const lent = this.#lent.get(id)
    if (lent) await this.#giveBack(id, lent)
  }

  async #take(id: string): Promise<Lent> {
    // A login that could not be saved is still in the home: it goes first.
    await this.#bringIn(id)
    const lent: Lent = { login: await HeldLogin.take(id, this.homeOf(id), this.#holding(id)), server: null }
    this.#lent.set(id, lent)
    return lent
  }

  async #takeUp(id: string, server: EndableAppServer): Promise<boolean> {
    const login = await HeldLogin.resume(id, this.homeOf(id), this.#holding(id)).catch((error: unknown) => {
      this.#parts.tell(`the account ${id}: ${error instanceof Error ? error.message : error}`)
      return null
    })
    if (!login) {
      await server.end('this service has no lease of its account any more')
      return false
    }
    const lent: Lent = { login, server: null }
    this.#lent.set(id, lent)
    this.#watch(id, lent, server)
    return true
  }

  async #bringIn(id: string): Promise<void> {
    const home = this.homeOf(id)
    if (this.#lent.has(id) || home.plantedGeneration() === null) return
    const login = await HeldLogin.resume(id, home, this.#holding(id))
    // Another has had the lease since: what is here is old.
    if (!login) home.clear()
    else await login.giveBack()
  }

  #watch(id: string, lent: Lent, server: EndableAppServer): void {
    lent.server = server
    lent.login.keep()
    void server.ended.then(() =>
      this.alone(id, async () => {
        if (this.#lent.get(id) === lent && lent.server === server) await this.#giveBack(id, lent)
      }).catch((error: unknown) => this.#parts.tell(String(error))),
    )
  }

  async #giveBack(id: string, lent: Lent): Promise<void> {
    this.#lent.delete(id)
    await lent.login.giveBack()
  }

  #holding(id: string) {
    const onLost = (why: string) => {
      const lent = this.#lent.get(id)
      this.#parts.tell(`the account ${lent?.login.name ?? id} is no longer used here: ${why}`)
      void lent?.server?.end(why).catch((error: unknown) => this.#parts.tell(String(error)))
    }
    return { parts: this.#parts, onLost }
  }
}

/** By its real path, as codex homes are. */
export function accountsFolder(dataDir: string): string {
  return path.join(realpathSync.native(dataDir), 'accounts')
}

function lostLease(name: string): AccountError {
  return new AccountError(
    'account-busy',
    `the account ${name} was taken by another worker: its codex here ends`,
  )
}
