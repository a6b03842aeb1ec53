// The hosts of a service: those that people have added, as tasks and doors need them. Loads nothing of ssh until one is used.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { AddHost, CheckedHost, CheckHost, Host, HostDoor } from '../../api/index.ts'
import {
  type ExecServerAddress,
  HostUnreachableError,
  type PathFacts,
  type ThreadEnvironment,
} from '../../codex/index.ts'
import {
  type ConnectionTimes,
  loadSshHosts,
  localHost,
  type Machine,
  type SshHost,
  type SshHostSpec,
} from '../../hosts/index.ts'
import { type Db, deleteHost, hostRow, hostRows, insertHost, type StoredHost } from '../../store/index.ts'
import { type AppServers, type HostDirectory, type HostMode, TaskError } from '../../tasks/index.ts'
import { type HostTrouble, plainError, troubleOf } from './host-trouble.ts'
import { addressOf, closeHost, isPassing, noting, type OpenHost, openHost, pathsOf } from './open-host.ts'
import { RemoteAppServers, type RemoteSettings } from './remote-app-servers.ts'

export interface ServiceHostsOptions {
  readonly db: Db
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly now: () => number
  readonly times?: Partial<ConnectionTimes>
  /** Of app-servers that run on hosts; by default as on this machine. */
  readonly remote?: RemoteSettings
}

/** How long until a host that was away is tried again, whether anybody asks for it or not. */
const AWAY_MS = [2_000, 5_000, 15_000, 30_000, 60_000] as const

export class ServiceHosts implements HostDirectory, HostDoor {
  readonly #options: ServiceHostsOptions
  /** By name, with the row they were made of: one that is removed and added again is another. */
  readonly #open = new Map<string, OpenHost>()
  readonly #paths = new Map<string, PathFacts>()
  #remote: RemoteAppServers | null = null

  constructor(options: ServiceHostsOptions) {
    this.#options = options
  }

  /** What it gives out is of the host that has the name when it is used: it may be removed and added again meanwhile. */
  async get(name: string): Promise<ThreadEnvironment | null> {
    if (!(await this.#find(name))) return null
    return {
      name,
      localFolder: this.#emptyFolder(),
      paths: this.#pathsOn(name),
      open: async ({ codexVersion }) => this.#addressOf(await this.#current(name), codexVersion),
    }
  }

  /** Of the host that has the name now. Rejects with `host-unreachable` when there is none. */
  async machine(name: string): Promise<Machine> {
    const { host } = await this.#current(name).catch((error) => {
      throw new HostUnreachableError(name, error)
    })
    return host.machine
  }

  async #find(name: string): Promise<OpenHost | null> {
    const row = await hostRow(this.#options.db, name)
    if (row) return this.#hostOf(row)
    // Another service on the same store may have removed it.
    await this.#close(name)
    return null
  }

  async #current(name: string): Promise<OpenHost> {
    const known = await this.#find(name)
    if (known) return known
    throw new TaskError('bad-request', 'it was removed: add it again with `drawbridge host add`')
  }

  async #addressOf(known: OpenHost, version: string): Promise<ExecServerAddress> {
    try {
      return await noting(known, () => this.#address(known, version))
    } catch (error) {
      if (isPassing(error)) this.#tryAgain(known, { version, tries: 0 })
      throw error
    }
  }

  #address(known: OpenHost, version: string): Promise<ExecServerAddress> {
    return addressOf(known, { version, protect: this.#options.remote?.protect ?? [] })
  }

  /** A turn may be at work there. Its codex goes on by itself when the way is open that it knows. */
  #tryAgain(known: OpenHost, { version, tries }: { version: string; tries: number }): void {
    const isOurs = this.#open.get(known.host.spec.name) === known
    if (known.retry || !isOurs) return
    known.retry = setTimeout(() => {
      known.retry = null
      void noting(known, () => this.#address(known, version)).catch(() =>
        this.#tryAgain(known, { version, tries: tries + 1 }),
      )
    }, AWAY_MS[tries] ?? AWAY_MS.at(-1)).unref()
  }

  async modeOf(name: string): Promise<HostMode> {
    const row = await hostRow(this.#options.db, name)
    return row ? modeOf(row) : 'exec'
  }

  /** The app-servers of this machine, and those that run on hosts. */
  behind(inner: AppServers): AppServers {
    const { db, dataDir, now, remote = {} } = this.#options
    this.#remote = new RemoteAppServers(inner, {
      ...{ dataDir, now, settings: remote },
      names: async () => (await hostRows(db)).filter(({ mode }) => mode === 'remote').map(({ name }) => name),
      find: async (name) => {
        const row = await hostRow(db, name)
        return row?.mode === 'remote' ? { destination: wayOf(row), paths: this.#pathsOn(name) } : null
      },
      host: async (name) => (await this.#current(name)).host,
    })
    return this.#remote
  }

  /** Those that run on hosts, with all they run. One that is away goes on. */
  async endAppServers(): Promise<void> {
    await this.#remote?.endThere()
  }

  async list(): Promise<Host[]> {
    return (await hostRows(this.#options.db)).map((row) => this.#shown(row))
  }

  async add(request: AddHost, { by }: { readonly by: string }): Promise<Host> {
    const { checkSpec } = await loadSshHosts()
    if (request.name === 'local') throw new TaskError('bad-request', 'local is the name of this machine')
    this.#plainly(() => checkSpec(request))
    const { name, destination, identity, jump, codexPath, mode = 'exec', labels = [] } = request
    const row = {
      ...{ name, destination, mode, added_by: by, added_at: this.#options.now() },
      options: JSON.stringify({ identity, jump, codexPath }),
      labels: JSON.stringify(labels),
    }
    if (!(await insertHost(this.#options.db, row)))
      throw new TaskError(
        'bad-request',
        `there is a host ${name} already: remove it first, or use another name`,
      )
    return this.#shown(row)
  }

  async check(name: string, { acceptKey, provision }: CheckHost): Promise<CheckedHost> {
    const row = await hostRow(this.#options.db, name)
    if (!row) throw new TaskError('bad-request', `there is no host ${name}`)
    try {
      if (acceptKey !== undefined) await this.#acceptKey(row, acceptKey)
      const known = await this.#hostOf(row)
      const { host } = known
      await noting(known, () => host.connect())
      const mode = modeOf(row)
      const server = provision ? await noting(known, () => this.#serverOn(known, mode)) : null
      const { platform, arch, user, home, freeBytes, codex, provisioned } = await host.facts()
      const hasLogin = mode === 'remote' ? await hasLoginThere(host, home) : null
      const roundTripMs = host.state.status === 'connected' ? host.state.roundTripMs : null
      const found = [
        ...codex.map(({ path: place, version }) => ({ path: place, version })),
        ...brought(provisioned),
      ]
      return {
        name,
        mode,
        platform,
        arch,
        user,
        home,
        freeBytes,
        roundTripMs,
        codex: found,
        server,
        hasLogin,
      }
    } catch (error) {
      throw plainError(error)
    }
  }

  async remove(name: string): Promise<boolean> {
    const row = await hostRow(this.#options.db, name)
    const known = row && (await this.#hostOf(row))
    // While the way there is still known: what does nothing there ends.
    await this.#remote?.forget(name)
    const isGone = await deleteHost(this.#options.db, name)
    // A task may have begun to use it meanwhile.
    await this.#remote?.forget(name)
    await this.#close(name)
    await known?.host.forget()
    return isGone
  }

  /** Ends the connections; what runs on hosts goes on. */
  async close(): Promise<void> {
    this.#remote?.stop()
    await Promise.all([...this.#open.keys()].map((name) => this.#close(name)))
  }

  async #close(name: string): Promise<void> {
    const known = this.#open.get(name)
    this.#open.delete(name)
    if (known) await closeHost(known)
  }

  /** A connection that was refused for its key does not try again at once: another one does. */
  async #acceptKey(row: StoredHost, fingerprint: string): Promise<void> {
    await (await this.#hostOf(row)).host.acceptKey(fingerprint)
    await this.#close(row.name)
  }

  async #serverOn(known: OpenHost, mode: HostMode): Promise<string> {
    if (mode === 'remote' && this.#remote) return (await this.#remote.provision(known.host.spec.name)).version
    const { version } = await localHost({ env: this.#options.env }).inspect()
    known.codexVersion = (await known.host.execServer({ version })).version
    return version
  }

  /** Of the host that has the name when it is asked. What is asked in one go is one round trip. */
  #pathsOn(name: string): PathFacts {
    const paths = this.#paths.get(name) ?? pathsOf(() => this.#current(name))
    this.#paths.set(name, paths)
    return paths
  }

  async #hostOf(row: StoredHost): Promise<OpenHost> {
    const { dataDir, env, now, times } = this.#options
    const of = JSON.stringify(row)
    const { sshHost } = await loadSshHosts()
    const known = this.#open.get(row.name)
    if (known?.of === of) return known
    if (known) void closeHost(known).catch(() => {})
    const options = { dataDir, env, now, random: Math.random, times }
    const onUpload = (progress: OpenHost['upload']) => {
      opened.upload = progress
    }
    const opened: OpenHost = openHost(sshHost(specOf(row), { ...options, onUpload }), of)
    this.#open.set(row.name, opened)
    return opened
  }

  /** In the data folder, which commands cannot read: what codex would run here by mistake gets nowhere. */
  #emptyFolder(): string {
    const folder = path.join(this.#options.dataDir, 'no-project')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  }

  #shown(row: StoredHost): Host {
    const { identity = null, jump = null, codexPath = null, labels = [] } = specOf(row)
    const { host, trouble = null, codexVersion = null, upload = null } = this.#open.get(row.name) ?? {}
    const state = host?.state ?? { status: 'idle' as const }
    const { problem, toDo, keys } = ('why' in state ? troubleOf(state.why) : trouble) ?? NO_TROUBLE
    const wrong = { problem, toDo, keys: [...keys], codexVersion, upload }
    const { destination, added_by: addedBy, added_at: addedAt } = row
    const mode = modeOf(row)
    const shown = { destination, identity, jump, codexPath, mode, labels: [...labels], addedBy, addedAt }
    return { id: row.name, kind: 'ssh', appServers: [], ssh: { ...shown, ...wrong, state: state.status } }
  }

  #plainly(check: () => void): void {
    try {
      check()
    } catch (error) {
      throw plainError(error)
    }
  }
}

const NO_TROUBLE: HostTrouble = { problem: null, toDo: null, keys: [] }

function specOf({ name, destination, options, labels }: StoredHost): SshHostSpec {
  return { name, destination, ...(JSON.parse(options) as Partial<SshHostSpec>), labels: JSON.parse(labels) }
}

/** The same address by another way can be another machine. */
function wayOf(row: StoredHost): string {
  const { destination, jump, identity } = specOf(row)
  return jump || identity ? JSON.stringify([destination, jump ?? null, identity ?? null]) : destination
}

function modeOf({ mode }: StoredHost): HostMode {
  return mode === 'remote' ? 'remote' : 'exec'
}

/** Each in a folder that is called by its version. */
function brought(folders: readonly string[]): { path: string; version: string | null }[] {
  return folders.map((folder) => {
    const version = /^\d+\.\d+\.\d+/.exec(path.posix.basename(folder))?.[0] ?? null
    return { path: `${folder}/bin/codex`, version }
  })
}

/** A look at its file: codex there has the last word, and a provider of its own needs none. */
async function hasLoginThere(host: SshHost, home: string): Promise<boolean> {
  const [login] = await host.lookAt([`${home}/.codex/auth.json`])
  return login?.kind === 'file'
}
