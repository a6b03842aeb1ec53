// A host that is reached with ssh: its connection, the codex on it, and the servers that run there for us.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { socketFolder } from '../detached/socket-path.ts'
import type { Machine } from '../machine/index.ts'
import { type AppServerStart, AppServerWays } from './app-server-on-host.ts'
import { SshConnection } from './connection.ts'
import { CONNECTION_TIMES, type ConnectionState, type ConnectionTimes } from './connection-state.ts'
import { ensureCodex, type HostCodex } from './ensure-codex.ts'
import { type ExecServer, ExecServerDoor } from './exec-server.ts'
import { askFacts, type HostFacts } from './host-facts.ts'
import { knownHostsFile, ownerId, removeSecrets, sshFolder } from './host-files.ts'
import { acceptKey } from './host-keys.ts'
import type { CodexOptions, HostParts } from './host-parts.ts'
import { SshMachine } from './machine/ssh-machine.ts'
import { lookAtPaths, type PathLook } from './path-facts.ts'
import { lookAtPlaces, type PlacesOptions, type PlacesThere } from './places-there.ts'
import type { Progress } from './provision.ts'
import { type RemoteServer, RemoteServers, type SeenServers } from './remote-servers.ts'
import type { SshSettings } from './ssh-arguments.ts'
import { SshHostError } from './ssh-host-error.ts'
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
  /** How far codex is on its way there; null: it is not, or not any more. */
  readonly onUpload?: (progress: Progress | null) => void
}

interface Waiting {
  readonly signal?: AbortSignal
}

export interface SshHost {
  readonly spec: SshHostSpec
  readonly state: ConnectionState
  /** Commands and files there. */
  readonly machine: Machine
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
  /** Starts an app-server there. Its login, its settings and its threads are those of the user there. */
  readonly startAppServer: (start: AppServerStart) => Promise<RemoteServer>
  /** The socket here that leads to it, now and after a cut. */
  readonly wayTo: (server: RemoteServer, options?: Waiting) => Promise<string>
  /** Rejects when another codex than the one that was started there answers. */
  readonly shakeHands: (server: RemoteServer, options?: Waiting) => Promise<void>
  readonly removeWayTo: (serverId: string) => Promise<void>
  /** Where codex has its home there, and what commands must not read. `make`: what codex does not make itself. */
  readonly places: (options: PlacesOptions) => Promise<PlacesThere>
  /** Ours that live there. */
  readonly servers: (options?: Waiting) => Promise<readonly RemoteServer[]>
  /** The same, with what became of those that do not. */
  readonly look: (options?: Waiting) => Promise<SeenServers>
  /** With everything it runs. */
  readonly endServer: (id: string, options?: Waiting) => Promise<void>
  /** Whether it was ended: one that works or has somebody connected goes on. */
  readonly endIdleServer: (id: string, options?: Waiting) => Promise<boolean>
  /** Per path, null where it cannot be told. */
  readonly lookAt: (places: readonly string[], options?: Waiting) => Promise<PathLook[]>
  /** Ends the connection; what runs on the host goes on. */
  readonly close: () => Promise<void>
  /** Closes; what is kept here for this machine alone is gone then. Keys that a person confirmed stay. */
  readonly forget: () => Promise<void>
}

/** Throws when it could not be a host. Nothing is connected yet. */
export function sshHost(spec: SshHostSpec, options: SshHostOptions): SshHost {
  checkSpec(spec)
  if (process.platform === 'win32') throw notOnWindows(spec.name)
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
  const owner = ownerId(dataDir)
  const servers = new RemoteServers(connection, { host: spec.name, owner })
  const facts = ({ signal }: Waiting = {}) =>
    askFacts(connection, { host: spec.name, codexPath: spec.codexPath, signal })
  const codex = async (wanted: CodexOptions) => {
    const onProgress = (progress: Progress) => {
      wanted.onProgress?.(progress)
      options.onUpload?.(progress)
    }
    try {
      return await ensureCodex(connection, { ...wanted, onProgress, spec, facts: await facts(wanted) })
    } finally {
      options.onUpload?.(null)
    }
  }
  const parts: HostParts = { spec, connection, servers, codex, facts, sockets, dataDir, now }
  const execServers = new ExecServerDoor(parts)
  const appServers = new AppServerWays(parts)
  const close = async () => {
    execServers.close()
    await connection.close()
  }
  return {
    spec,
    get state() {
      return connection.state
    },
    // Two names may lead to one machine, and what is left of one is not the other's.
    machine: new SshMachine(connection, { host: spec.name, owner: `${owner}-${spec.name}` }),
    onState: (listener) => connection.onState(listener),
    connect: (waiting) => connection.connect(waiting),
    acceptKey: async (fingerprint, waiting) => {
      await acceptKey(spec, settings, { fingerprint, ...waiting })
      connection.forgive()
    },
    facts,
    codex,
    execServer: (wanted) => execServers.open(wanted),
    startAppServer: (start) => appServers.start(start),
    wayTo: (server, waiting) => appServers.wayTo(server, waiting),
    shakeHands: (server, waiting) => appServers.shakeHands(server, waiting),
    removeWayTo: (id) => appServers.removeWayTo(id),
    places: (wanted) => lookAtPlaces(connection, { ...wanted, host: spec.name }),
    servers: (waiting) => servers.list(waiting),
    look: (waiting) => servers.look(waiting),
    endServer: (id, waiting) => servers.end(id, waiting),
    endIdleServer: (id, waiting) => servers.endIdle(id, waiting),
    lookAt: (places, waiting) => lookAtPaths(connection, places, waiting),
    close,
    forget: async () => {
      await close()
      removeSecrets(dataDir, spec)
    },
  }
}

/** OpenSSH for Windows cannot share a connection. */
function notOnWindows(host: string): SshHostError {
  const message = 'hosts over ssh need Linux or macOS on this side'
  const hint = 'run Drawbridge in WSL'
  return new SshHostError(message, { code: 'host-unsupported', host, hint })
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
