// The connection to one host, as its app-servers need it: what was seen there, and who is no longer there.
import { HostUnreachableError, hasCode, type PathFacts } from '../../codex/index.ts'
import { type AppServerEnd, toEnd } from '../owned-app-server.ts'
import type { ConnectionState, RemoteServer, SeenServers, SshHost } from '../ssh/index.ts'
import type { HostSide } from './remote-app-server.ts'
import type { RemoteRecord } from './remote-record.ts'

export interface HostServersParts {
  readonly name: string
  readonly paths: PathFacts
  /** The host; another one after that was closed. Connects to nothing. */
  readonly host: () => Promise<SshHost>
  /** Those that are judged by a look that begins now. */
  readonly known: () => readonly string[]
  readonly onSeen: (seen: {
    readonly alive: readonly RemoteServer[]
    readonly starting: readonly string[]
  }) => void
  readonly onGone: (id: string, end: AppServerEnd) => void
  readonly now: () => number
}

/** A host that is away for long is tried so often for the sake of what may run there. */
const ASKED_EVERY_MS = 30_000

export class HostServers implements HostSide {
  readonly #parts: HostServersParts
  readonly #seen = new Map<string, RemoteServer>()
  /** Those that said their version. */
  readonly #proven = new Set<string>()
  #ssh: SshHost | null = null
  #stop = () => {}
  #askedAt = Number.NEGATIVE_INFINITY
  #hasLooked = false
  #isLeaving = false
  #look: Promise<void> | null = null
  #nextLook: Promise<void> | null = null

  constructor(parts: HostServersParts) {
    this.#parts = parts
  }

  get name(): string {
    return this.#parts.name
  }

  get paths(): PathFacts {
    return this.#parts.paths
  }

  get isConnected(): boolean {
    return this.#ssh?.state.status === 'connected'
  }

  /** Connected, and all that is known of it was looked at since. Somebody wants it now: tries at once. */
  async connected({ signal }: { signal?: AbortSignal } = {}): Promise<SshHost> {
    return this.#orUnreachable(signal, async () => {
      const ssh = await this.#host()
      await ssh.connect({ signal })
      if (!this.#hasLooked) await (this.#look ?? this.#lookAgain())
      return ssh
    })
  }

  async reach(record: RemoteRecord, { signal }: { signal?: AbortSignal }): Promise<string> {
    return this.#orUnreachable(signal, async () => {
      this.#refuseWhileAway((await this.#host()).state)
      const ssh = await this.connected({ signal })
      const server = this.#seen.get(record.id)
      if (!server) throw new Error('its app-server was not seen there yet')
      if (!this.#proven.has(record.id)) await ssh.shakeHands(server, { signal })
      this.#proven.add(record.id)
      return await ssh.wayTo(server, { signal })
    })
  }

  async confirm(): Promise<void> {
    const { promise: away, resolve } = Promise.withResolvers<void>()
    const stop = this.#ssh?.onState(({ status }) => status !== 'connected' && resolve())
    if (this.isConnected) await Promise.race([this.#lookAgain().catch(() => {}), away])
    stop?.()
  }

  async end({ id }: { readonly id: string }): Promise<void> {
    const ssh = await this.connected()
    await ssh.endServer(id)
    await this.forget(id)
  }

  /** One that has just been started. */
  add(server: RemoteServer): void {
    this.#seen.set(server.id, server)
  }

  async forget(id: string): Promise<void> {
    this.#seen.delete(id)
    this.#proven.delete(id)
    await this.#ssh?.removeWayTo(id)
  }

  /** The host was removed: what is still done there goes through the connection that stands. */
  leave(): void {
    this.#isLeaving = true
  }

  stop(): void {
    this.#stop()
  }

  async #orUnreachable<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      throw hasCode(error, 'host-unreachable') ? error : new HostUnreachableError(this.name, error)
    }
  }

  /** The connection tries by itself, and what waits for it asks often. */
  #refuseWhileAway(state: ConnectionState): void {
    if (state.status === 'retrying') throw new HostUnreachableError(this.name, state.why)
    if (state.status !== 'broken') return
    const now = this.#parts.now()
    if (now - this.#askedAt < ASKED_EVERY_MS) throw new HostUnreachableError(this.name, state.why)
    this.#askedAt = now
  }

  async #host(): Promise<SshHost> {
    if (this.#isLeaving && this.#ssh) return this.#ssh
    const ssh = await this.#parts.host()
    if (ssh === this.#ssh) return ssh
    this.#stop()
    this.#ssh = ssh
    this.#hasLooked = false
    this.#stop = ssh.onState(({ status }) => {
      if (status !== 'connected') this.#hasLooked = false
      else if (this.#parts.known().length > 0) void this.#lookAgain().catch(() => {})
    })
    return ssh
  }

  /** One that began before is not enough: what is asked about may have happened since. */
  #lookAgain(): Promise<void> {
    if (!this.#look) return this.#begin()
    this.#nextLook ??= this.#look
      .catch(() => {})
      .then(() => {
        this.#nextLook = null
        return this.#begin()
      })
    return this.#nextLook
  }

  #begin(): Promise<void> {
    const look = this.#lookNow().finally(() => {
      if (this.#look === look) this.#look = null
    })
    this.#look = look
    return look
  }

  async #lookNow(): Promise<void> {
    const ssh = await this.#host()
    // One that is started meanwhile may not be in what the host says.
    const known = this.#parts.known()
    const { alive, dead, starting } = await ssh.look()
    const servers = alive.filter(({ kind, listens }) => kind === 'app-server' && listens !== '')
    for (const server of servers) this.#seen.set(server.id, server)
    for (const id of known) {
      if (alive.some((server) => server.id === id) || starting.includes(id)) continue
      await this.forget(id)
      this.#parts.onGone(id, endOf(id, dead, this.name))
    }
    this.#hasLooked = true
    this.#parts.onSeen({ alive: servers, starting })
  }
}

function endOf(id: string, dead: SeenServers['dead'], host: string): AppServerEnd {
  const found = dead.find((server) => server.id === id)
  const how = found?.wasRestarted
    ? `${host} was started again, and its codex with it`
    : `codex on ${host} is gone`
  return toEnd(how, found?.said ?? [])
}
