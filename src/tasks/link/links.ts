// The connections to app-servers: one each, made when first needed and made again when it breaks while codex lives on.
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Codex,
  type CodexNotification,
  type CodexOptions,
  hasCode,
  type Incident,
  openCodex,
} from '../../codex/index.ts'
import { backoffMs } from '../../util/backoff.ts'
import type { AppServerKey, AppServers, RunningAppServer } from '../model/index.ts'

/** What is heard on any connection. Of a thread its own listener hears. */
export interface LinkListener {
  notification(notification: CodexNotification, link: Link): void
  incident(incident: Incident): void
  answered(answered: Parameters<NonNullable<CodexOptions['onAnswered']>>[0]): void
  /** The connection stands, or stands again. */
  connected(link: Link): void
}

export interface LinksOptions {
  readonly appServers: AppServers
  readonly listener: LinkListener
  /** How long is waited before the next attempt to connect. */
  readonly retry?: Retry
}

type Retry = Parameters<typeof backoffMs>[1]

const RETRY: Retry = { baseMs: 50, maxMs: 2_000, random: Math.random }
/** Whoever waits for a connection is told after so many more attempts that there is none. */
const MAX_RETRIES = 20

export class Links {
  readonly #options: LinksOptions
  readonly #links = new Map<string, Link>()
  readonly #stopped = new AbortController()

  constructor(options: LinksOptions) {
    this.#options = options
  }

  get signal(): AbortSignal {
    return this.#stopped.signal
  }

  /** Takes over what an earlier service left running. None of it is ended until what is returned is called. */
  async adopt(): Promise<() => void> {
    const adopted = await this.#options.appServers.adopt({ signal: this.signal })
    const holds = adopted.map((appServer) => this.#linkTo(appServer).appServer.hold())
    return () => {
      for (const letGo of holds) letGo()
    }
  }

  /** None of those that are connected is ended until what is returned is called. */
  hold(): () => void {
    const holds = [...this.#links.values()].map(({ appServer }) => appServer.hold())
    return () => {
      for (const letGo of holds) letGo()
    }
  }

  /** Where new threads of this key go. */
  async get(key: AppServerKey): Promise<Link> {
    return this.#linkTo(await this.#options.appServers.get(key, { signal: this.signal }))
  }

  /** Those whose app-server lives. */
  all(): readonly Link[] {
    return [...this.#links.values()].filter(({ appServer }) => appServer.isAlive())
  }

  /** null when that app-server is gone. */
  byId(appServerId: string | null): Link | null {
    const link = appServerId === null ? undefined : this.#links.get(appServerId)
    return link?.appServer.isAlive() ? link : null
  }

  /** The thread of ours on whose behalf a sub-agent with this thread works; null: none is known. */
  threadAbove(threadId: string): string | null {
    for (const { connected } of this.#links.values()) {
      const parent = connected?.parentOf(threadId)
      if (parent) return parent.threadId
    }
    return null
  }

  /** Ends the connections. App-servers that can outlive us do. */
  async close(): Promise<void> {
    this.#stopped.abort(new Error('the service is stopping'))
    await Promise.all([...this.#links.values()].map((link) => link.close()))
  }

  #linkTo(appServer: RunningAppServer): Link {
    const known = this.#links.get(appServer.id)
    if (known) return known
    const { listener, retry = RETRY } = this.#options
    const link = new Link(appServer, { listener, retry, signal: this.signal })
    this.#links.set(appServer.id, link)
    void appServer.ended.then(() => this.#links.delete(appServer.id))
    return link
  }
}

export class Link {
  readonly appServer: RunningAppServer
  readonly #listener: LinkListener
  readonly #signal: AbortSignal
  readonly #retry: Retry
  #codex: Promise<Codex> | null = null
  #connected: Codex | null = null
  #isTryingOn = false

  constructor(
    appServer: RunningAppServer,
    { listener, retry, signal }: { listener: LinkListener; retry: Retry; signal: AbortSignal },
  ) {
    this.appServer = appServer
    this.#listener = listener
    this.#signal = signal
    this.#retry = retry
  }

  /** The connection that was made last; null before the first. */
  get connected(): Codex | null {
    return this.#connected
  }

  /** How many threads are open on the connection that stands. */
  get openThreads(): number {
    return this.#connected?.openThreads ?? 0
  }

  /** The connected client. Rejects when it cannot be had for now; that is tried until the app-server is gone or the service stops. */
  codex(): Promise<Codex> {
    if (!this.#codex) {
      const connecting = this.#connect()
      this.#codex = connecting
      connecting.then(
        (codex) => {
          this.#connected = codex
          this.#listener.connected(this)
          return codex.closed.then(() => this.#reconnect(connecting))
        },
        () => {
          this.#forget(connecting)
          void this.#tryOn()
        },
      )
    }
    return this.#codex
  }

  async close(): Promise<void> {
    const codex = await this.#codex?.catch(() => null)
    await codex?.close()
  }

  /** What other clients do is heard of only while the connection stands. */
  #reconnect(broken: Promise<Codex>): void {
    this.#forget(broken)
    if (this.#mayConnect) void this.codex().catch(() => {})
  }

  /** Nobody may want it for a long time, but what happens there is to be heard of. Never rejects. */
  async #tryOn(): Promise<void> {
    if (this.#isTryingOn) return
    this.#isTryingOn = true
    for (let codex: Codex | null = null; this.#mayConnect && !codex; ) {
      await delay(this.#retry.maxMs, undefined, { signal: this.#signal }).catch(() => {})
      codex = await this.codex().catch(() => null)
    }
    this.#isTryingOn = false
  }

  get #mayConnect(): boolean {
    return this.appServer.outlivesUs && this.appServer.isAlive() && !this.#signal.aborted
  }

  #forget(connection: Promise<Codex>): void {
    if (this.#codex === connection) this.#codex = null
  }

  async #connect(): Promise<Codex> {
    for (let tries = 0; ; tries++) {
      this.#signal.throwIfAborted()
      try {
        return await this.#open()
      } catch (error) {
        // One that lives but does not let us in is tried again; one that we can only reach once is lost.
        const isAway = hasCode(error, 'host-unreachable')
        if (!this.#mayConnect || tries >= MAX_RETRIES || isAway) throw error
        await delay(backoffMs(tries, this.#retry), undefined, { signal: this.#signal })
      }
    }
  }

  #open(): Promise<Codex> {
    const listener = this.#listener
    return openCodex(this.appServer.host, {
      experimental: true,
      redact: true,
      onNotification: (notification) => listener.notification(notification, this),
      onApproval: () => ({ answer: 'deny', by: 'default', why: 'no task of ours asks this' }),
      onIncident: (incident) => listener.incident(incident),
      onAnswered: (answered) => listener.answered(answered),
      signal: this.#signal,
    })
  }
}
