// The exec-server of a host: one for all tasks there, with an address here that stays the same over cuts and restarts.
import { createHash, randomBytes } from 'node:crypto'
import path from 'node:path'
import { checkAddress } from '../websocket-address.ts'
import { askVersion } from './ask-version.ts'
import { readSecrets, writeSecrets } from './host-files.ts'
import type { CodexOptions, HostParts } from './host-parts.ts'
import type { RemoteServer } from './remote-servers.ts'
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

const HANDSHAKE_MS = 15_000

export class ExecServerDoor {
  readonly #parts: HostParts
  #port: StablePort | null = null
  #opening: Promise<ExecServer> | null = null
  #openingVersion = ''

  constructor(parts: HostParts) {
    this.#parts = parts
  }

  /** Tasks that begin together share one start. */
  async open(wanted: CodexOptions & { readonly version: string }): Promise<ExecServer> {
    while (this.#opening && this.#openingVersion !== wanted.version) await this.#opening.catch(() => {})
    this.#openingVersion = wanted.version
    this.#opening ??= this.#open(wanted).finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  close(): void {
    this.#port?.close()
    this.#port = null
  }

  async #open(wanted: CodexOptions & { readonly version: string }): Promise<ExecServer> {
    const { spec, connection, sockets, facts, dataDir } = this.#parts
    const { signal } = wanted
    const secrets = readSecrets(dataDir, spec.name)
    const found = await this.#find(wanted.version, { token: secrets.token, signal })
    const server = found ?? (await this.#start(wanted, secrets.token))
    const socketPath = path.join(
      sockets,
      `x${createHash('sha256').update(spec.name).digest('hex').slice(0, 12)}`,
    )
    await connection.forward(socketPath, `127.0.0.1:${server.listens}`, { signal })
    this.#port ??= await openStablePort(socketPath, secrets.port)
    if (this.#port.port !== secrets.port)
      writeSecrets(dataDir, spec.name, { ...secrets, port: this.#port.port })
    const url = `ws://127.0.0.1:${this.#port.port}`
    await this.#shakeHands({ url, token: secrets.token, version: wanted.version, signal })
    const { home } = await facts({ signal })
    const { id, version } = server
    return { url, token: secrets.token, version, remoteHome: home, id, wasRunning: found !== null }
  }

  /** Others of ours are on their way out: they end when nobody uses them. */
  async #find(
    version: string,
    { token, signal }: { token: string; signal?: AbortSignal },
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
    writeSecrets(dataDir, spec.name, { ...readSecrets(dataDir, spec.name), token })
    const auth = ['--ws-auth', 'capability-token', '--ws-token-sha256', checksum(token)]
    return servers.start(
      {
        id: randomBytes(16).toString('hex'),
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
    signal?: AbortSignal
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
