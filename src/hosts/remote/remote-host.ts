// The app-servers of one host: one takes new threads, others are on their way out. They run on when we do not.
import { HostUnreachableError, hasCode, type PathFacts } from '../../codex/index.ts'
import { covers } from '../local/protection.ts'
import type { AppServerEnd } from '../owned-app-server.ts'
import { CrashLoop } from '../pool/crash-loop.ts'
import type { AppServerLimits } from '../pool/limits.ts'
import { type AppServerFacts, type AppServerKey, PooledAppServer } from '../pool/pooled-app-server.ts'
import { SharedStart } from '../pool/shared-start.ts'
import type { RemoteServer, SshHost } from '../ssh/index.ts'
import { HostServers } from './host-servers.ts'
import { isBusy } from './is-busy.ts'
import { type ChannelLimits, RemoteAppServer } from './remote-app-server.ts'
import type { RemoteRecord, RemoteRecords } from './remote-record.ts'
import { codexThere, digestOf, type StartSettings, startRemote } from './start-remote.ts'

export interface RemoteHostOptions {
  readonly name: string
  readonly destination: string
  readonly host: () => Promise<SshHost>
  readonly paths: PathFacts
  readonly records: RemoteRecords
  readonly limits: AppServerLimits
  readonly channel: ChannelLimits
  readonly settings: StartSettings
  /** What tasks call the app-servers with this home there. */
  readonly keyOf: (codexHome: string | null) => AppServerKey
  readonly now: () => number
}

/** Whether another codex is installed there now is asked no more often. */
const VERSION_LOOK_MS = 5 * 60_000
/** What is to be protected there changes seldom. */
const PLACES_LOOK_MS = 5_000

interface Known {
  readonly pooled: PooledAppServer
  readonly process: RemoteAppServer
  codexSeenAt: number
  placesSeenAt: number
}

export class RemoteHost {
  readonly #options: RemoteHostOptions
  readonly #side: HostServers
  readonly #known = new Map<string, Known>()
  readonly #starts = new Map<string | null, SharedStart<PooledAppServer>>()
  readonly #crashes: CrashLoop
  /** Ours that run there, and that nobody here knows of. */
  #strangers: readonly RemoteServer[] = []
  #isForgotten = false

  constructor(options: RemoteHostOptions) {
    const { name, paths, host, now, limits } = options
    this.#options = options
    this.#crashes = new CrashLoop(limits.crashLoop)
    this.#side = new HostServers({
      ...{ name, paths, host, now },
      known: () => [...this.#known.keys()],
      onSeen: ({ alive, starting }) => this.#meet(alive, starting),
      onGone: (id, end) => this.#gone(id, end),
    })
  }

  /** Those on record. Nothing is connected: until somebody has looked, they count as alive. */
  adopt(): PooledAppServer[] {
    for (const record of this.#recorded()) if (!this.#known.has(record.id)) this.#add(record)
    return [...this.#known.values()].map(({ pooled }) => pooled)
  }

  /** The one that new threads go to; started when there is none. Rejects with `host-unreachable`. Hold it at once. */
  async get(codexHome: string | null, { signal }: { signal?: AbortSignal }): Promise<PooledAppServer> {
    for (;;) {
      const current = this.#starts.get(codexHome)
      if (current?.isGivenUp) {
        await current.settled()
        continue
      }
      const pooled = await (current ?? this.#begin(codexHome)).wait(signal)
      pooled.handOut()
      return pooled
    }
  }

  list(): AppServerFacts[] {
    return [...this.#known.values()].map(({ pooled }) => pooled.facts())
  }

  /** Ends what nobody needs any more and where nothing runs. */
  async look(): Promise<void> {
    if (!this.#side.isConnected) return
    for (const { pooled } of [...this.#known.values()]) await this.#endUnneeded(pooled)
    for (const server of this.#strangers) await this.#endStranger(server)
  }

  /** Nobody here watches what runs there any more; what does nothing ends, if it can be reached. Records of others stay. */
  async forget(reason: string): Promise<void> {
    this.#isForgotten = true
    this.#side.leave()
    for (const { pooled, process } of [...this.#known.values()]) {
      const mayEnd = this.#side.isConnected && pooled.facts().holds === 0
      if (mayEnd && !(await isBusy(pooled.host).catch(() => true))) await process.end('its host was removed')
    }
    this.#side.stop()
    for (const { process } of this.#known.values()) process.gone({ reason, stderrTail: [] })
    this.#known.clear()
  }

  async endAll(why: string): Promise<void> {
    if (!this.#side.isConnected) return
    await Promise.all([...this.#known.values()].map(({ process }) => process.end(why)))
  }

  #begin(codexHome: string | null): SharedStart<PooledAppServer> {
    const start = new SharedStart((signal) => this.#getNow(codexHome, signal))
    this.#starts.set(codexHome, start)
    void start.settled().then(() => {
      if (this.#starts.get(codexHome) === start) this.#starts.delete(codexHome)
    })
    return start
  }

  async #getNow(codexHome: string | null, signal: AbortSignal): Promise<PooledAppServer> {
    const { name } = this.#options
    try {
      const ssh = await this.#side.connected({ signal })
      for (const known of this.#fit(codexHome)) {
        const why = await this.#whyUnfit(known, ssh, signal)
        if (why === null) return known.pooled
        known.pooled.drain(why)
      }
      return await this.#start(codexHome, ssh, signal)
    } catch (error) {
      signal.throwIfAborted()
      // Whatever is wrong there is for a person to mend: the task waits, and says what for.
      const isOurs = hasCode(error, 'host-unreachable') || hasCode(error, 'app-server-crash-loop')
      throw isOurs ? error : new HostUnreachableError(name, error)
    }
  }

  #fit(codexHome: string | null): Known[] {
    return [...this.#known.values()].filter(
      ({ process, pooled }) =>
        process.record.codexHome === codexHome && process.isAlive() && !pooled.isDraining,
    )
  }

  async #start(codexHome: string | null, ssh: SshHost, signal: AbortSignal): Promise<PooledAppServer> {
    const { records, destination, settings, now } = this.#options
    this.#crashes.refuse(`${codexHome}`, now())
    const parts = { ...settings, records, destination, now, signal }
    const { record, server } = await startRemote(ssh, codexHome, parts)
    if (this.#isForgotten) await this.#endForgotten(record, ssh)
    this.#side.add(server)
    const known = this.#known.get(record.id) ?? this.#add(record)
    known.process.pid = server.pid
    known.codexSeenAt = now()
    known.placesSeenAt = now()
    // Before any turn it has said which version it is.
    await this.#side.reach(record, { signal })
    return known.pooled
  }

  /** Its host was removed during the start. Rejects. */
  async #endForgotten({ id }: RemoteRecord, ssh: SshHost): Promise<never> {
    await ssh.endServer(id).then(
      () => this.#options.records.remove(id),
      () => {}, // it stays on record
    )
    throw new Error('it was removed')
  }

  /** Why a new one should take its place; null when it need not. */
  async #whyUnfit(known: Known, ssh: SshHost, signal: AbortSignal): Promise<string | null> {
    const { settings, now } = this.#options
    const { record } = known.process
    if (record.settings !== digestOf(record.codexHome, settings)) return 'it was started with other settings'
    if (now() - known.codexSeenAt > VERSION_LOOK_MS) {
      const { path, version } = await codexThere(ssh, { signal })
      if (version !== record.codexVersion) return `codex there is now ${version}`
      if (path !== record.codexPath) return `codex there is now ${path}`
      known.codexSeenAt = now()
    }
    if (now() - known.placesSeenAt <= PLACES_LOOK_MS) return null
    const { codexHome } = record
    const { logins } = await ssh.places({ codexHome, protect: settings.protect, make: false, signal })
    const added = logins.find((place) => !covers(record.protection.paths, place))
    if (added !== undefined) return `${added} is there now, and its commands could read it`
    known.placesSeenAt = now()
    return null
  }

  #recorded(): RemoteRecord[] {
    const { records, name, destination } = this.#options
    return records.all().filter((record) => record.host === name && record.destination === destination)
  }

  #add(record: RemoteRecord): Known {
    const { now, channel, keyOf } = this.#options
    const process = new RemoteAppServer(record, this.#side, channel)
    const onFree = () => void this.#endUnneeded(pooled)
    const pooled = new PooledAppServer(process, { key: keyOf(record.codexHome), now, onFree })
    const long = Number.NEGATIVE_INFINITY
    const known = { pooled, process, codexSeenAt: long, placesSeenAt: long }
    this.#known.set(record.id, known)
    void process.ended.then(() => {
      this.#known.delete(record.id)
      if (process.isEndWanted()) this.#options.records.remove(record.id)
    })
    return known
  }

  /** A start whose reply was lost has happened all the same; what is on record and not there never came to be. */
  #meet(alive: readonly RemoteServer[], starting: readonly string[]): void {
    const { records } = this.#options
    const recorded = this.#recorded()
    // The same machine can be two hosts: those of the other are on record as well.
    const all = new Set(records.all().map(({ id }) => id))
    this.#strangers = alive.filter(({ id }) => !all.has(id))
    for (const record of recorded) {
      const server = alive.find(({ id }) => id === record.id)
      const isBeingStarted = starting.includes(record.id) || this.#starts.size > 0
      if (server) (this.#known.get(record.id) ?? this.#add(record)).process.pid = server.pid
      else if (!this.#known.has(record.id) && !isBeingStarted) records.remove(record.id)
    }
  }

  #gone(id: string, end: AppServerEnd): void {
    const { records, now } = this.#options
    const process = this.#known.get(id)?.process
    records.remove(id)
    if (!process) return
    this.#crashes.note(`${process.record.codexHome}`, { at: now(), reason: end.reason })
    process.gone(end)
  }

  async #endUnneeded(pooled: PooledAppServer): Promise<void> {
    const { limits } = this.#options
    const whyEnd = () => (this.#side.isConnected && pooled.isAlive() ? pooled.whyEnd(limits) : null)
    const why = whyEnd()
    // Codex itself has the last word: a turn may run there that nobody here has found again yet.
    if (why === null || (await isBusy(pooled.host).catch(() => true)) || whyEnd() === null) return
    await pooled.end(why)
  }

  async #endStranger(server: RemoteServer): Promise<void> {
    const { records: _, ...options } = this.#options
    const record = strangerRecord(server, options)
    const process = new RemoteAppServer(record, this.#side, options.channel)
    if (!(await isBusy(process.host).catch(() => true))) await process.end('nobody knows of it')
  }
}

function strangerRecord(
  { id, settings, version, startedAt }: RemoteServer,
  { name, destination }: { name: string; destination: string },
): RemoteRecord {
  const protection = { profile: '', paths: [], tempFolders: [], dialect: 'modern' } as const
  const codex = { codexHome: null, codexPath: '', codexVersion: version }
  return { id, host: name, destination, settings, startedAt, protection, ...codex }
}
