// The exec-server of a host: one for all tasks there, with an address here that stays the same over cuts and restarts.
import { createHash, randomBytes } from 'node:crypto'
import path from 'node:path'
import { hasCode } from '../../codex/index.ts'
import { CrashLoop } from '../pool/crash-loop.ts'
import { checkAddress } from '../websocket-address.ts'
import { askVersion } from './ask-version.ts'
import { readSecrets, writeSecrets } from './host-files.ts'
import type { CodexOptions, HostParts } from './host-parts.ts'
import type { RemoteServer } from './remote-servers.ts'
import { SharedStarts } from './shared-starts.ts'
import { SshHostError } from './ssh-host-error.ts'
import { openStablePort, type StablePort } from './stable-port.ts'

export interface ExecServer {
  /** On our side of the connection. */
  readonly url: string
  readonly token: string
  readonly version: string
  /** The home folder on the host. */
  readonly remoteHome: string
  /** Of the server, as `servers` lists it. */
  readonly id: string
  /** Whether it ran already. */
  readonly wasRunning: boolean
}

type Wanted = CodexOptions & { readonly version: string }

/** A server that answered, over one connection. */
interface Reached {
  readonly server: ExecServer
  /** When that connection was made. */
  readonly since: number | null
}

const HANDSHAKE_MS = 15_000
/** One that dies more often than this under turns is not started again for them. */
const DEATHS = { count: 5, withinMs: 5 * 60_000 }
/** How often the list of servers is read before one that cannot be reached is an error. */
const LOOKS = 3

export class ExecServerDoor {
  readonly #parts: HostParts
  readonly #starts = new SharedStarts<ExecServer>()
  readonly #deaths = new CrashLoop(DEATHS)
  #port: StablePort | null = null
  /** The version that turns there use. */
  #version: string | null = null
  #isReviving = false
  #reached: Reached | null = null
  /** Of the user there. Asking for it again is slow. */
  #home: string | null = null

  constructor(parts: HostParts) {
    this.#parts = parts
  }

  /** Tasks that begin together share one start. */
  open(wanted: Wanted): Promise<ExecServer> {
    const { signal } = wanted
    this.#version = wanted.version
    return this.#starts.open(wanted.version, (signal) => this.#open({ ...wanted, signal }), { signal })
  }

  close(): void {
    this.#port?.close()
    this.#port = null
    this.#reached = null
    this.#version = null
  }

  /** Codex found no server behind the port: it has died under a turn, whose next commands need another. */
  async #revive(): Promise<void> {
    const version = this.#version
    if (version === null || this.#isReviving || this.#since() === null) return
    const { now, spec } = this.#parts
    this.#isReviving = true
    try {
      this.#deaths.refuse(spec.name, now())
      const { wasRunning } = await this.open({ version })
      if (!wasRunning) this.#deaths.note(spec.name, { at: now(), reason: 'it was killed' })
    } catch {
      // The next turn tells what is wrong there.
    } finally {
      this.#isReviving = false
    }
  }

  /** A server that was just killed is listed until it is gone, and listens no more: then the list is read again. */
  async #open(wanted: Wanted): Promise<ExecServer> {
    const { spec, dataDir } = this.#parts
    const { version, signal } = wanted
    const { token } = readSecrets(dataDir, spec)
    for (let look = 1; ; look++) {
      const reached = this.#reachedNow()
      // Whether it still answers is asked beside the list: both take round trips.
      const answers =
        reached &&
        this.#shakeHands({ ...reached, signal }).then(
          () => true,
          () => false,
        )
      const found = await this.#find(version, { token, signal })
      if (!found)
        return await this.#reach(await this.#start(wanted, token), { token, signal, wasRunning: false })
      if (reached?.id === found.id && (await answers)) return { ...reached, wasRunning: true }
      try {
        return await this.#reach(found, { token, signal, wasRunning: true })
      } catch (error) {
        if (look === LOOKS || !hasCode(error, 'app-server-unreachable')) throw error
      }
    }
  }

  async #reach(
    server: RemoteServer,
    { token, signal, wasRunning }: { token: string; signal: AbortSignal | undefined; wasRunning: boolean },
  ): Promise<ExecServer> {
    const { spec, connection, sockets, facts, dataDir } = this.#parts
    const name = createHash('sha256').update(spec.name).digest('hex').slice(0, 12)
    const socketPath = path.join(sockets, `x${name}`)
    await connection.forward({ local: socketPath, remote: `127.0.0.1:${server.listens}` }, { signal })
    const { port } = readSecrets(dataDir, spec)
    this.#port ??= await openStablePort(socketPath, {
      wanted: port,
      onUnanswered: () => void this.#revive(),
    })
    if (this.#port.port !== port) writeSecrets(dataDir, spec, { token, port: this.#port.port })
    const { id, version } = server
    const url = `ws://127.0.0.1:${this.#port.port}`
    await this.#shakeHands({ url, token, version, signal })
    this.#home ??= (await facts({ signal })).home
    const reached = { url, token, version, remoteHome: this.#home, id, wasRunning }
    this.#reached = { server: reached, since: this.#since() }
    return reached
  }

  /** The server that was reached over the connection that stands. */
  #reachedNow(): ExecServer | null {
    const since = this.#since()
    return since !== null && this.#reached?.since === since ? this.#reached.server : null
  }

  /** When the connection was made; null: there is none now. */
  #since(): number | null {
    const { state } = this.#parts.connection
    return state.status === 'connected' ? state.since : null
  }

  /** Others of ours are on their way out: they end when nobody uses them. */
  async #find(
    version: string,
    { token, signal }: { token: string; signal: AbortSignal | undefined },
  ): Promise<RemoteServer | null> {
    const { servers } = this.#parts
    const ours = (await servers.list({ signal })).filter(({ kind }) => kind === 'exec-server')
    const isCurrent = (server: RemoteServer) =>
      server.version === version && server.settings === checksum(token) && /^\d+$/.test(server.listens)
    const current = ours.find(isCurrent) ?? null
    for (const server of ours) if (server !== current) await servers.endIdle(server.id, { signal })
    return current
  }

  async #start(wanted: CodexOptions, token: string): Promise<RemoteServer> {
    const { spec, servers, codex, dataDir, now } = this.#parts
    const found = await codex(wanted)
    // Before it runs: a server whose token nobody knows could only be thrown away.
    writeSecrets(dataDir, spec, { ...readSecrets(dataDir, spec), token })
    const auth = ['--ws-auth', 'capability-token', '--ws-token-sha256', checksum(token)]
    return servers.start(
      {
        id: randomBytes(8).toString('hex'),
        kind: 'exec-server',
        codex: found,
        settings: checksum(token),
        startedAt: new Date(now()).toISOString(),
        args: ['exec-server', '--listen', 'ws://127.0.0.1:0', ...auth],
        env: { RUST_LOG: 'warn' },
      },
      { signal: wanted.signal },
    )
  }

  async #shakeHands(server: {
    url: string
    token: string
    version: string
    signal: AbortSignal | undefined
  }): Promise<void> {
    const { spec, connection } = this.#parts
    const said = await askVersion(checkAddress(server), {
      kind: 'exec-server',
      timeoutMs: connection.deadline(HANDSHAKE_MS),
      signal: server.signal,
    })
    if (said !== server.version) throw otherVersion(spec.name, { said, wanted: server.version })
  }
}

export function otherVersion(
  host: string,
  { said, wanted }: { said: string | null; wanted: string },
): SshHostError {
  const message = `the codex server on ${host} says that it is ${said ?? 'of no version'}, not ${wanted}`
  const hint = 'end it (it is in the list of servers of the host), then try again'
  return new SshHostError(message, { code: 'host-server-other-version', host, hint })
}

function checksum(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
