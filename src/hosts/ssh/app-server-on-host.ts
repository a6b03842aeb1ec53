// An app-server that runs on a host by itself: turns go on there while this machine is off.
import { createHash, randomBytes } from 'node:crypto'
import path from 'node:path'
import { checkAddress } from '../websocket-address.ts'
import { askVersion } from './ask-version.ts'
import { otherVersion } from './exec-server.ts'
import type { CodexOptions, HostParts } from './host-parts.ts'
import type { RemoteServer } from './remote-servers.ts'

export interface AppServerOptions {
  /** On the host; null: codex's default there. */
  readonly codexHome: string | null
  /** After `codex app-server`, before where it listens. None may be a secret. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface AppServerOnHost {
  /** Here: what connects to it reaches the app-server, also after a cut. */
  readonly socketPath: string
  readonly version: string
  readonly remoteHome: string
  readonly id: string
  readonly wasRunning: boolean
  readonly startedAt: string
}

const HANDSHAKE_MS = 15_000

/** One that runs with these settings is used whatever its version, unless one is wanted: it may have work to do. */
export async function openAppServer(
  wanted: CodexOptions & AppServerOptions,
  parts: HostParts,
): Promise<AppServerOnHost> {
  const { spec, connection, servers, facts, sockets } = parts
  const { signal } = wanted
  const settings = settingsOf(wanted)
  const isWanted = (server: RemoteServer) =>
    server.kind === 'app-server' &&
    server.settings === settings &&
    server.listens !== '' &&
    (wanted.version === null || server.version === wanted.version)
  const found = (await servers.list({ signal })).find(isWanted)
  const server = found ?? (await start(wanted, { ...parts, settings }))
  const socketPath = path.join(sockets, `a${server.id.slice(0, 12)}`)
  await connection.forward(socketPath, server.listens, { signal })
  const said = await askVersion(checkAddress({ socketPath }), {
    kind: 'app-server',
    timeoutMs: connection.deadline(HANDSHAKE_MS),
    signal,
  })
  if (said !== server.version) throw otherVersion(spec.name, { said, wanted: server.version })
  const { home: remoteHome } = await facts({ signal })
  const { id, version, startedAt } = server
  return { socketPath, version, remoteHome, id, wasRunning: found !== undefined, startedAt }
}

async function start(
  wanted: CodexOptions & AppServerOptions,
  { codex, servers, now, settings }: HostParts & { settings: string },
): Promise<RemoteServer> {
  const found = await codex(wanted)
  const home: Record<string, string> = wanted.codexHome === null ? {} : { CODEX_HOME: wanted.codexHome }
  return servers.start(
    {
      id: randomBytes(16).toString('hex'),
      kind: 'app-server',
      codex: found,
      settings,
      startedAt: new Date(now()).toISOString(),
      args: ['app-server', ...wanted.args],
      env: { RUST_LOG: 'warn', ...wanted.env, ...home },
    },
    { signal: wanted.signal },
  )
}

function settingsOf({ codexHome, args, env }: AppServerOptions): string {
  const text = JSON.stringify([codexHome, args, Object.entries(env).sort()])
  return createHash('sha256').update(text).digest('hex')
}
