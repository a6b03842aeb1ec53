// The app-servers of a service: started when needed, shared, watched, replaced, and taken over by the next service.
import { DrawbridgeError, hasCode } from '../../codex/index.ts'
import { AppServerUnreachableError } from '../app-server-unreachable-error.ts'
import type { LocalHostOptions } from '../local/local-codex.ts'
import { descriptorsOf } from '../process-descriptors.ts'
import { memoryOf } from '../process-memory.ts'
import type { AppServerProcess } from './app-server-process.ts'
import { canonicalKey } from './canonical-key.ts'
import { CrashLoop } from './crash-loop.ts'
import { Launcher, SHARED } from './launcher.ts'
import { type AppServerLimits, DEFAULT_LIMITS } from './limits.ts'
import { type AppServerFacts, type AppServerKey, PooledAppServer } from './pooled-app-server.ts'
import { SharedStart } from './shared-start.ts'

/** At a look an app-server has this long to take a connection. */
const CONNECT_MS = 5_000

export interface AppServerPoolOptions {
  /**
   * The service's data folder: whoever has it owns the app-servers recorded there. Two pools must not use it at once.
   */
  readonly dataDir: string
  readonly host?: Omit<LocalHostOptions, 'codexPath' | 'codexHome' | 'registryDir'>
  /** `auto`: over a socket, so that turns outlive us, where this codex can; else over pipes. */
  readonly transport?: 'auto' | 'stdio'
  readonly limits?: Partial<AppServerLimits>
  /** On such a home no second process runs while another does, not even one that is being replaced. */
  readonly isExclusive?: (codexHome: string) => boolean
  readonly now?: () => number
}

export function appServerPool(options: AppServerPoolOptions): AppServerPool {
  return new AppServerPool(options)
}

/** One app-server per key takes new threads; others of that key may still be held. */
export class AppServerPool {
  readonly #limits: AppServerLimits
  readonly #now: () => number
  readonly #launcher: Launcher
  readonly #crashes: CrashLoop
  readonly #servers = new Set<PooledAppServer>()
  readonly #starts = new Map<
    string,
    { key: AppServerKey; startedAt: number; shared: SharedStart<PooledAppServer> }
  >()
  readonly #host: NonNullable<AppServerPoolOptions['host']>
  readonly #isExclusive: NonNullable<AppServerPoolOptions['isExclusive']>
  readonly #timer: NodeJS.Timeout | undefined
  #isReleased = false
  #hasAdopted = false

  constructor(options: AppServerPoolOptions) {
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#now = options.now ?? Date.now
    const { dataDir, transport = 'auto' } = options
    const host = unloadingThreads(options.host ?? {}, this.#limits)
    this.#host = host
    this.#isExclusive = options.isExclusive ?? (() => false)
    this.#launcher = new Launcher({ dataDir, host, transport, limits: this.#limits, now: this.#now })
    this.#crashes = new CrashLoop(this.#limits.crashLoop)
    const { lookEveryMs } = this.#limits
    if (lookEveryMs !== null) this.#timer = setInterval(() => void this.look(), lookEveryMs).unref()
  }

  /**
   * Takes over what an earlier service left running; what cannot be taken over has been ended. Call first. Called again,
   * it only returns all that run: whatever is on record then is this pool's, and may be starting.
   */
  async adopt(options: { signal?: AbortSignal } = {}): Promise<readonly PooledAppServer[]> {
    this.#refuseWhenReleased()
    await Promise.all([...this.#starts.values()].map(({ shared }) => shared.settled()))
    if (this.#hasAdopted) return [...this.#servers].filter((server) => server.isAlive())
    const except = new Set([...this.#servers].map(({ id }) => id))
    const adopted = await this.#launcher.adopt({ except, signal: options.signal })
    this.#hasAdopted = true
    const had = [...this.#servers]
    const taken = await Promise.all(
      adopted.map(async ({ key, process }) => {
        const server = this.#add(this.canonical(key), process)
        if (key.execHost === SHARED) server.drain('it may know hosts that its tasks were not given')
        if (this.#launcher.hasOtherSettings(process.id)) server.drain('it was started with other settings')
        await this.#drainOutdated(server)
        return server
      }),
    )
    return [...had.filter((server) => server.isAlive()), ...taken]
  }

  /** The one that new threads of this key go to; started when there is none. Hold it at once. */
  async get(written: AppServerKey, options: { signal?: AbortSignal } = {}): Promise<PooledAppServer> {
    const key = this.canonical(written)
    this.#refuseWhenReleased()
    options.signal?.throwIfAborted()
    for (;;) {
      const running = this.#current(key)
      if (running) return handedOut(running)
      this.#refuseSecond(key)
      const start = this.#starts.get(textOf(key))?.shared
      // One that everybody has left is being undone.
      if (start?.isGivenUp) await start.settled()
      else return handedOut(await (start ?? this.#start(key)).wait(options.signal))
    }
  }

  /** The same key for the same codex and home, however they are written. */
  canonical(key: AppServerKey): AppServerKey {
    return canonicalKey(key, this.#host)
  }

  list(): readonly AppServerFacts[] {
    const starting = [...this.#starts].map(([id, { key, startedAt }]) => {
      const nothing = { pid: null, codexVersion: null, memoryBytes: null, holds: 0 }
      return { id, key, startedAt, state: 'starting' as const, ...nothing }
    })
    return [...starting, ...[...this.#servers].map((server) => server.facts())]
  }

  /** What happens from time to time: measures, replaces what is too large or outdated, ends what nobody needs. */
  async look(): Promise<void> {
    await Promise.all([...this.#servers].map((server) => this.#lookAt(server)))
  }

  /** Lets go of all without ending those that can outlive us; ends the rest. */
  async release(): Promise<void> {
    this.#isReleased = true
    clearInterval(this.#timer)
    await Promise.all([...this.#starts.values()].map(({ shared }) => shared.cancel(released())))
    await Promise.all([...this.#servers].map(({ process }) => process.letGo()))
    this.#servers.clear()
  }

  /** Ends every one with all it started, and lets go. */
  async endAll(why = 'the service ends'): Promise<void> {
    await Promise.all([...this.#servers].map(({ process }) => process.end(why)))
    await this.release()
  }

  #current(key: AppServerKey): PooledAppServer | undefined {
    const wanted = textOf(key)
    const current = [...this.#servers].find(
      (server) => textOf(server.key) === wanted && !server.isDraining && server.isAlive(),
    )
    // A login that was not there when it started must not be read by the next thread.
    const why = current ? this.#launcher.whyUnprotected(key, current.process) : null
    if (why) current!.drain(why)
    return why ? undefined : current
  }

  #refuseSecond({ codexHome }: AppServerKey): void {
    if (codexHome === null || !this.#isExclusive(codexHome)) return
    const other = [...this.#servers].find((server) => server.key.codexHome === codexHome && server.isAlive())
    if (!other) return
    // Else those of one machine could keep those of another waiting for ever.
    other.drain('another codex is to run on its account')
    void this.#endUnneeded(other)
    throw new DrawbridgeError(
      'another codex still runs on this account: it is waited for, so that only one uses the login',
      { code: 'app-server-in-place', retryable: true },
    )
  }

  #start(key: AppServerKey): SharedStart<PooledAppServer> {
    const shared = new SharedStart((signal) => this.#startNow(key, signal))
    this.#starts.set(textOf(key), { key, startedAt: this.#now(), shared })
    return shared
  }

  async #startNow(key: AppServerKey, signal: AbortSignal): Promise<PooledAppServer> {
    const text = textOf(key)
    try {
      this.#crashes.refuse(text, this.#now())
      await this.#makeRoom()
      return this.#add(key, await this.#launcher.start(key, { signal }))
    } catch (error) {
      const isCrash = hasCode(error, 'transport-closed') || error instanceof AppServerUnreachableError
      if (isCrash) this.#crashes.note(text, { at: this.#now(), reason: error.message })
      throw error
    } finally {
      this.#starts.delete(text)
    }
  }

  async #makeRoom(): Promise<void> {
    const { maxAppServers } = this.#limits
    if (this.#servers.size + this.#starts.size <= maxAppServers) return
    const spare = [...this.#servers].find((server) => server.whyEnd({ idleMs: 0 }) !== null)
    if (spare) return spare.process.end('another is needed and there may be no more')
    throw new DrawbridgeError(
      `${maxAppServers} app-servers are running and all are in use: wait for one, or allow more (appServers.max in the settings)`,
      { code: 'too-many-app-servers', retryable: true },
    )
  }

  #add(key: AppServerKey, process: AppServerProcess): PooledAppServer {
    const server = new PooledAppServer(process, {
      key,
      now: this.#now,
      onFree: () => void this.#endUnneeded(server),
    })
    this.#servers.add(server)
    void process.ended.then(({ reason }) => {
      this.#servers.delete(server)
      if (!process.isEndWanted()) this.#crashes.note(textOf(key), { at: this.#now(), reason })
    })
    return server
  }

  async #lookAt(server: PooledAppServer): Promise<void> {
    if (!server.isAlive()) return
    server.process.trimLog()
    server.memoryBytes = await memoryOf(server.process.pid)
    const { maxMemoryBytes } = this.#limits
    if (server.memoryBytes !== null && server.memoryBytes > maxMemoryBytes)
      server.drain(`it took ${megabytes(server.memoryBytes)}, more than ${megabytes(maxMemoryBytes)}`)
    const descriptors = await descriptorsOf(server.process.pid)
    if (descriptors && descriptors.open > descriptors.limit * this.#limits.maxDescriptorShare)
      server.drain(`it has ${descriptors.open} of its ${descriptors.limit} descriptors open`)
    server.noteConnection(await server.process.takesConnections(CONNECT_MS))
    await this.#drainOutdated(server)
    await this.#endUnneeded(server)
  }

  async #drainOutdated(server: PooledAppServer): Promise<void> {
    const why = await this.#launcher.whyOutdated(server.key, server.process)
    if (why) server.drain(why)
  }

  async #endUnneeded(server: PooledAppServer): Promise<void> {
    const why = this.#isReleased || !server.isAlive() ? null : server.whyEnd(this.#limits)
    if (why) await server.process.end(why)
  }

  #refuseWhenReleased(): void {
    if (this.#isReleased) throw released()
  }
}

type HostOptions = NonNullable<AppServerPoolOptions['host']>

/** A loaded thread holds two descriptors, and those of its MCP servers. One with a turn, or a question, is not unloaded. */
function unloadingThreads(
  host: HostOptions,
  { unloadThreadsAfterSecs }: Pick<AppServerLimits, 'unloadThreadsAfterSecs'>,
): HostOptions {
  return { ...host, config: { thread_unload_delay_secs: `${unloadThreadsAfterSecs}`, ...host.config } }
}

function handedOut(server: PooledAppServer): PooledAppServer {
  server.handOut()
  return server
}

function released(): DrawbridgeError {
  return new DrawbridgeError('the app-servers have been let go of', { code: 'app-server-pool-released' })
}

function textOf({ codexPath, codexHome, execHost }: AppServerKey): string {
  return JSON.stringify([codexPath, codexHome, execHost])
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MB`
}
