// Starting an app-server that runs on a host by itself, and the way to it: turns go on there while this machine is off.
import path from 'node:path'
import { checkAddress } from '../websocket-address.ts'
import { askVersion } from './ask-version.ts'
import { otherVersion } from './exec-server.ts'
import type { HostParts } from './host-parts.ts'
import type { RemoteServer } from './remote-servers.ts'

export interface AppServerStart {
  readonly id: string
  readonly codex: { readonly path: string; readonly version: string }
  /** On the host. */
  readonly codexHome: string
  /** Tells whether another would be started otherwise. */
  readonly settings: string
  readonly startedAt: string
  /** Of codex, before where it listens. None may be a secret. */
  readonly args: readonly string[]
  /** More variables of the environment there for it, by name. */
  readonly passEnv: readonly string[]
  readonly signal?: AbortSignal
}

const HANDSHAKE_MS = 15_000

export class AppServerWays {
  readonly #parts: HostParts

  constructor(parts: HostParts) {
    this.#parts = parts
  }

  start({ codexHome, signal, ...start }: AppServerStart): Promise<RemoteServer> {
    const env = { RUST_LOG: 'warn', CODEX_HOME: codexHome }
    return this.#parts.servers.start({ ...start, kind: 'app-server', env }, { signal })
  }

  async wayTo(server: RemoteServer, { signal }: { signal?: AbortSignal } = {}): Promise<string> {
    const local = this.#socketOf(server.id)
    await this.#parts.connection.forward({ local, remote: server.listens }, { signal })
    return local
  }

  async shakeHands(server: RemoteServer, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const { connection, spec } = this.#parts
    const socketPath = await this.wayTo(server, { signal })
    const timeoutMs = connection.deadline(HANDSHAKE_MS)
    const said = await askVersion(checkAddress({ socketPath }), { kind: 'app-server', timeoutMs, signal })
    if (said !== server.version) throw otherVersion(spec.name, { said, wanted: server.version })
  }

  removeWayTo(serverId: string): Promise<void> {
    return this.#parts.connection.unforward(this.#socketOf(serverId))
  }

  #socketOf(serverId: string): string {
    return path.join(this.#parts.sockets, `a${serverId.slice(0, 12)}`)
  }
}
