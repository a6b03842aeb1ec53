// A host that is reached with ssh: its connection, the codex on it, and the servers that run there for us.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { PathKind } from '../../codex/index.ts'
import { socketFolder } from '../detached/socket-path.ts'
import { type AppServerOnHost, type AppServerOptions, openAppServer } from './app-server-on-host.ts'
import { CONNECTION_TIMES, type ConnectionState, type ConnectionTimes, SshConnection } from './connection.ts'
import { ensureCodex, type HostCodex } from './ensure-codex.ts'
import { type ExecServer, ExecServerDoor } from './exec-server.ts'
import { askFacts, type HostFacts } from './host-facts.ts'
import { knownHostsFile, ownerId, sshFolder } from './host-files.ts'
import { acceptKey } from './host-keys.ts'
import type { CodexOptions, HostParts } from './host-parts.ts'
import { kindsOf, realPaths } from './path-facts.ts'
import { type RemoteServer, RemoteServers } from './remote-servers.ts'
import type { SshSettings } from './ssh-arguments.ts'
import { checkSpec, type SshHostSpec } from './ssh-target.ts'

export interface SshHostOptions {
  /** Whose hosts these are: keys that were confirmed, tokens and sockets are kept there. */
  readonly dataDir: string
  /** For ssh: it needs HOME, PATH and, for an agent, SSH_AUTH_SOCK. */
  readonly env: NodeJS.ProcessEnv
  readonly now: () => number
  readonly random: () => number
  /** `ssh` on PATH by default. */
  readonly ssh?: string
  /** In place of the user's ssh config. */
  readonly configFile?: string | null
  readonly times?: Partial<ConnectionTimes>
}

interface Waiting {
  readonly signal?: AbortSignal
}

export interface SshHost {
  readonly spec: SshHostSpec
  readonly state: ConnectionState
  /** Gives how to stop it. */
  readonly onState: (listener: (state: ConnectionState) => void) => () => void
  /** Rejects with a `HostKeyError` when a person has to look at the key of the host first. */
  readonly connect: (options?: Waiting) => Promise<void>
  /** A person compared the fingerprint and says that it is right. Only for a host whose key is not known yet. */
  readonly acceptKey: (fingerprint: string, options?: Waiting) => Promise<void>
  readonly facts: (options?: Waiting) => Promise<HostFacts>
  /** Finds or brings codex there. `version`: exactly this one; null: any that Drawbridge can work with. */
  readonly codex: (options: CodexOptions) => Promise<HostCodex>
  /** Starts or finds the exec-server there, of exactly this version, and a way to it that stays the same. */
  readonly execServer: (options: CodexOptions & { readonly version: string }) => Promise<ExecServer>
  /** Starts or finds an app-server there with these settings, and a way to it that stays the same. */
  readonly appServer: (options: CodexOptions & AppServerOptions) => Promise<AppServerOnHost>
  /** Ours that live there. */
  readonly servers: (options?: Waiting) => Promise<RemoteServer[]>
  /** With everything it runs. */
  readonly endServer: (id: string, options?: Waiting) => Promise<void>
  /** Whether it was ended: one that works or has somebody connected goes on. */
  readonly endIdleServer: (id: string, options?: Waiting) => Promise<boolean>
  /** Per path, null where it cannot be told. */
  readonly realPaths: (places: readonly string[], options?: Waiting) => Promise<(string | null)[]>
  readonly kindsOf: (places: readonly string[], options?: Waiting) => Promise<(PathKind | null)[]>
  /** Ends the connection; what runs on the host goes on. */
  readonly close: () => Promise<void>
}

/** Throws when it could not be a host. Nothing is connected yet. */
export function sshHost(spec: SshHostSpec, options: SshHostOptions): SshHost {
  checkSpec(spec)
  const { dataDir, now, random } = options
  const settings = settingsOf(options)
  const sockets = socketFolder(dataDir, { env: options.env })
  const times = { ...CONNECTION_TIMES, ...options.times }
  const connection = new SshConnection(spec, {
    settings,
    controlPath: () => freshPath(sockets),
    recordFile: path.join(sshFolder(dataDir), `${spec.name}.master`),
    times,
    now,
    random,
  })
  const servers = new RemoteServers(connection, { host: spec.name, owner: ownerId(dataDir) })
  const facts = ({ signal }: Waiting = {}) =>
    askFacts(connection, { host: spec.name, codexPath: spec.codexPath, signal })
  const codex = async (wanted: CodexOptions) =>
    ensureCodex(connection, { ...wanted, spec, facts: await facts(wanted) })
  const parts: HostParts = { spec, connection, servers, codex, facts, sockets, dataDir, now }
  const door = new ExecServerDoor(parts)
  return {
    spec,
    get state() {
      return connection.state
    },
    onState: (listener) => connection.onState(listener),
    connect: (waiting) => connection.connect(waiting),
    acceptKey: (fingerprint, waiting) => acceptKey(spec, settings, { fingerprint, ...waiting }),
    facts,
    codex,
    execServer: (wanted) => door.open(wanted),
    appServer: (wanted) => openAppServer(wanted, parts),
    servers: (waiting) => servers.list(waiting),
    endServer: (id, waiting) => servers.end(id, waiting),
    endIdleServer: (id, waiting) => servers.endIdle(id, waiting),
    realPaths: (places, waiting) => realPaths(connection, places, waiting),
    kindsOf: (places, waiting) => kindsOf(connection, places, waiting),
    close: async () => {
      door.close()
      await connection.close()
    },
  }
}

function settingsOf({ dataDir, env, ssh = 'ssh', configFile = null }: SshHostOptions): SshSettings {
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { ssh, configFile, knownHostsFile: knownHostsFile(dataDir), env: Object.fromEntries(given) }
}

/** ssh appends seventeen characters while it makes the socket, and the system takes only short paths. */
function freshPath(folder: string): string {
  const place = path.join(folder, `m${randomBytes(2).toString('hex').slice(0, 3)}`)
  return existsSync(place) ? freshPath(folder) : place
}
