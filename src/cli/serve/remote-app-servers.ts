// The app-servers of a service, where those of hosts in remote mode run on the host. Loads nothing of it until there is one.
import { DEFAULT_MAX_LINE_BYTES, HostUnreachableError, type PathFacts } from '../../codex/index.ts'
import {
  type AppServerLimits,
  DEFAULT_LIMITS,
  loadRemoteHosts,
  type PooledAppServer,
  type RemoteHost,
  type RemoteRecords,
  type SshHost,
} from '../../hosts/index.ts'
import {
  type AppServerFacts,
  type AppServerKey,
  type AppServers,
  hostOfHome,
  type RunningAppServer,
  remoteHome,
} from '../../tasks/index.ts'

export interface RemoteSettings {
  readonly limits?: Partial<AppServerLimits>
  /** What commands there must not read: absolute, or from `~/` on. */
  readonly protect?: readonly string[]
  /** Variables of the environment there that codex is given too. */
  readonly passEnv?: readonly string[]
}

interface RemoteAppServersOptions {
  readonly dataDir: string
  readonly now: () => number
  readonly settings: RemoteSettings
  /** Of the hosts in remote mode. */
  readonly names: () => Promise<readonly string[]>
  /** null: there is no such host in remote mode. */
  readonly find: (name: string) => Promise<{ readonly destination: string; readonly paths: PathFacts } | null>
  readonly host: (name: string) => Promise<SshHost>
}

/** A host may be slow; its own deadlines are shorter. */
const CONNECT_MS = 30_000

export class RemoteAppServers implements AppServers {
  readonly #inner: AppServers
  readonly #options: RemoteAppServersOptions
  readonly #limits: AppServerLimits
  /** By name; one that is removed and added again elsewhere is another. */
  readonly #hosts = new Map<string, { readonly remote: RemoteHost; readonly destination: string }>()
  #records: RemoteRecords | null = null
  #timer: NodeJS.Timeout | undefined
  /** How often a host was removed: what was looked up before is looked up again. */
  #removals = 0

  constructor(inner: AppServers, options: RemoteAppServersOptions) {
    this.#inner = inner
    this.#options = options
    this.#limits = { ...DEFAULT_LIMITS, ...options.settings.limits }
  }

  async adopt(options: { signal?: AbortSignal }): Promise<readonly RunningAppServer[]> {
    const here = await this.#inner.adopt(options)
    const there: PooledAppServer[] = []
    for (const name of await this.#options.names()) {
      const remote = await this.#hostNamed(name).catch(() => null)
      if (remote) there.push(...remote.adopt())
    }
    return [...here, ...there]
  }

  canonical(key: AppServerKey): AppServerKey {
    return this.#inner.canonical(key)
  }

  async get(key: AppServerKey, options: { signal?: AbortSignal }): Promise<RunningAppServer> {
    const name = hostOfHome(key.codexHome)
    if (name === null) return this.#inner.get(key, options)
    return (await this.#hostNamed(name)).get(null, options)
  }

  list(): readonly AppServerFacts[] {
    return [...this.#inner.list(), ...[...this.#hosts.values()].flatMap(({ remote }) => remote.list())]
  }

  release(): Promise<void> {
    this.stop()
    return this.#inner.release()
  }

  /** What runs there goes on. */
  stop(): void {
    clearInterval(this.#timer)
  }

  /** Brings codex there and starts an app-server, unless that was done. */
  async provision(name: string): Promise<{ readonly version: string }> {
    const { process } = await (await this.#hostNamed(name)).get(null, {})
    return { version: process.codexVersion }
  }

  /** A person has removed the host. */
  async forget(name: string): Promise<void> {
    this.#removals++
    await this.#leave(name)
  }

  async #leaveRemoved(name: string): Promise<void> {
    await this.#leave(name)
    // A look at what has the name now closes the connection to what had it.
    await this.#options.host(name).catch(() => {})
  }

  async #leave(name: string): Promise<void> {
    const known = this.#hosts.get(name)
    this.#hosts.delete(name)
    await known?.remote.forget(`the host ${name} was removed: what codex does there is not watched any more`)
  }

  async endThere(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map(({ remote }) => remote.endAll('the service ends')))
  }

  /** Rejects with `host-unreachable`: a task waits for a host that is added again. */
  async #hostNamed(name: string): Promise<RemoteHost> {
    const removals = this.#removals
    const before = this.#hosts.get(name)
    const found = await this.#options.find(name)
    const known = this.#hosts.get(name)
    if (!found) {
      // Another service on the same store has removed it.
      if (known && known === before) void this.#leaveRemoved(name)
      throw new HostUnreachableError(name, notRemote(name))
    }
    if (known?.destination === found.destination) return known.remote
    await known?.remote.forget(`the host ${name} is now another machine`)
    const remote = await this.#open(name, found)
    if (removals !== this.#removals) return this.#hostNamed(name)
    // Somebody else may have been sooner: two would start two app-servers.
    const sooner = this.#hosts.get(name)
    if (sooner?.destination === found.destination) return sooner.remote
    this.#hosts.set(name, { remote, destination: found.destination })
    return remote
  }

  async #open(
    name: string,
    { destination, paths }: { destination: string; paths: PathFacts },
  ): Promise<RemoteHost> {
    const { dataDir, host, now, settings } = this.#options
    const { RemoteHost, RemoteRecords } = await loadRemoteHosts()
    const { lookEveryMs, pingEveryMs, unloadThreadsAfterSecs } = this.#limits
    this.#records ??= new RemoteRecords(dataDir)
    if (lookEveryMs !== null) this.#timer ??= setInterval(() => void this.#look(), lookEveryMs).unref()
    return new RemoteHost({
      ...{ name, destination, paths, now, records: this.#records, limits: this.#limits },
      host: () => host(name),
      channel: { maxLineBytes: DEFAULT_MAX_LINE_BYTES, pingEveryMs, connectMs: CONNECT_MS },
      settings: { protect: settings.protect ?? [], passEnv: settings.passEnv ?? [], unloadThreadsAfterSecs },
      keyOf: () => ({ codexPath: null, codexHome: remoteHome(name), execHost: null }),
    })
  }

  async #look(): Promise<void> {
    const look = async (name: string) => {
      const remote = await this.#hostNamed(name).catch(() => null)
      await remote?.look()
    }
    await Promise.all([...this.#hosts.keys()].map(look))
  }
}

function notRemote(name: string): Error {
  return new Error(
    `there is no host ${name} in remote mode: add it with \`drawbridge host add --mode remote\``,
  )
}
