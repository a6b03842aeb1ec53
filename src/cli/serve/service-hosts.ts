// The hosts of a service: those that people have added, as tasks and doors need them. Loads nothing of ssh until one is used.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { AddHost, CheckedHost, CheckHost, Host, HostDoor } from '../../api/index.ts'
import type { ExecServerAddress, PathFacts, ThreadEnvironment } from '../../codex/index.ts'
import {
  type HostKeyError,
  loadSshHosts,
  localHost,
  type SshHost,
  type SshHostSpec,
} from '../../hosts/index.ts'
import { type Db, deleteHost, hostRow, hostRows, insertHost, type StoredHost } from '../../store/index.ts'
import { type HostDirectory, TaskError } from '../../tasks/index.ts'

/** What codex keeps in its home that is nobody else's business: as on this machine. */
const PROTECTED = [
  'auth.json',
  '.credentials.json',
  'config.toml',
  'history.jsonl',
  'sessions',
  'archived_sessions',
  'log',
]

export interface ServiceHostsOptions {
  readonly db: Db
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly now: () => number
}

export class ServiceHosts implements HostDirectory, HostDoor {
  readonly #options: ServiceHostsOptions
  /** By name, with the row they were made of: one that is removed and added again is another. */
  readonly #open = new Map<string, { readonly host: SshHost; readonly of: string }>()

  constructor(options: ServiceHostsOptions) {
    this.#options = options
  }

  async get(name: string): Promise<ThreadEnvironment | null> {
    const row = await hostRow(this.#options.db, name)
    if (!row) return null
    const host = await this.#hostOf(row)
    return {
      name,
      localFolder: this.#emptyFolder(),
      paths: pathsOf(host),
      open: ({ codexVersion }) => addressOf(host, codexVersion),
    }
  }

  async list(): Promise<Host[]> {
    return (await hostRows(this.#options.db)).map((row) => this.#shown(row))
  }

  async add(request: AddHost, { by }: { readonly by: string }): Promise<Host> {
    const { checkSpec } = await loadSshHosts()
    if (request.name === 'local') throw new TaskError('bad-request', 'local is the name of this machine')
    this.#plainly(() => checkSpec(request))
    const { name, destination, identity, jump, codexPath, labels = [] } = request
    const row = {
      ...{ name, destination, mode: 'exec', added_by: by, added_at: this.#options.now() },
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
      const host = await this.#hostOf(row)
      await host.connect()
      const { platform, arch, user, home, freeBytes, codex } = await host.facts()
      const server = provision ? (await this.#serverOn(host)).version : null
      const roundTripMs = host.state.status === 'connected' ? host.state.roundTripMs : null
      const found = codex.map(({ path: place, version }) => ({ path: place, version }))
      return { name, platform, arch, user, home, freeBytes, roundTripMs, codex: found, server }
    } catch (error) {
      throw plain(error)
    }
  }

  async remove(name: string): Promise<boolean> {
    const isGone = await deleteHost(this.#options.db, name)
    await this.#close(name)
    return isGone
  }

  /** Ends the connections; what runs on hosts goes on. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((name) => this.#close(name)))
  }

  async #close(name: string): Promise<void> {
    const known = this.#open.get(name)
    this.#open.delete(name)
    await known?.host.close()
  }

  /** A connection that was refused for its key does not try again at once: another one does. */
  async #acceptKey(row: StoredHost, fingerprint: string): Promise<void> {
    await (await this.#hostOf(row)).acceptKey(fingerprint)
    await this.#close(row.name)
  }

  async #serverOn(host: SshHost): Promise<{ version: string }> {
    const { version } = await localHost({ env: this.#options.env }).inspect()
    return host.execServer({ version })
  }

  async #hostOf(row: StoredHost): Promise<SshHost> {
    const { dataDir, env, now } = this.#options
    const of = JSON.stringify(row)
    const { sshHost } = await loadSshHosts()
    const known = this.#open.get(row.name)
    if (known?.of === of) return known.host
    if (known) void known.host.close().catch(() => {})
    const host = sshHost(specOf(row), { dataDir, env, now, random: Math.random })
    this.#open.set(row.name, { host, of })
    return host
  }

  /** In the data folder, which commands cannot read: what codex would run here by mistake gets nowhere. */
  #emptyFolder(): string {
    const folder = path.join(this.#options.dataDir, 'no-project')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  }

  #shown(row: StoredHost): Host {
    const { identity = null, jump = null, codexPath = null, labels = [] } = specOf(row)
    const state = this.#open.get(row.name)?.host.state ?? { status: 'idle' as const }
    const problem = 'why' in state ? state.why.message : null
    const { destination, mode, added_by: addedBy, added_at: addedAt } = row
    const shown = { destination, identity, jump, codexPath, mode, labels: [...labels], addedBy, addedAt }
    return { id: row.name, kind: 'ssh', appServers: [], ssh: { ...shown, state: state.status, problem } }
  }

  #plainly(check: () => void): void {
    try {
      check()
    } catch (error) {
      throw plain(error)
    }
  }
}

function specOf({ name, destination, options, labels }: StoredHost): SshHostSpec {
  return { name, destination, ...(JSON.parse(options) as Partial<SshHostSpec>), labels: JSON.parse(labels) }
}

/** A host that is not connected cannot be asked, which is not the same as a path that leads nowhere. */
function pathsOf(host: SshHost): PathFacts {
  const realPath = batched(host, (places) => host.realPaths(places))
  const kindOf = batched(host, (places) => host.kindsOf(places))
  return { realPath, kindOf: (place) => kindOf(place).catch(() => null) }
}

/** What is asked in one go is one round trip. */
function batched<T>(host: SshHost, ask: (places: readonly string[]) => Promise<readonly T[]>) {
  let batch: { readonly places: string[]; readonly answers: Promise<readonly T[]> } | null = null
  const answersFor = async (places: readonly string[]): Promise<readonly T[]> => {
    // Nobody joins once it is connected and asked.
    await host.connect().finally(() => {
      batch = null
    })
    const found = await ask(places)
    if (host.state.status !== 'connected') throw new Error(`${host.spec.name} is not connected`)
    return found
  }
  return async (place: string): Promise<T> => {
    const places: string[] = batch?.places ?? []
    const index = places.push(place) - 1
    batch ??= { places, answers: answersFor(places) }
    return (await batch.answers)[index]!
  }
}

async function addressOf(host: SshHost, version: string): Promise<ExecServerAddress> {
  const { url, token, remoteHome } = await host.execServer({ version })
  const places = PROTECTED.map((name) => `${remoteHome}/.codex/${name}`)
  const kinds = await host.kindsOf(places)
  const there = places.filter((_place, index) => kinds[index] !== 'missing')
  const real = await host.realPaths(there)
  return { url, token, protectedPaths: real.filter((place) => place !== null) }
}

/** What ssh says, with what to do about it. */
function plain(error: unknown): unknown {
  const { hint, message, host, keys = [] } = Object(error) as Partial<HostKeyError>
  if (hint === undefined) return error
  const [key] = keys
  const how = key ? ` with \`drawbridge host check ${host} --accept-key ${key.fingerprint}\`` : ''
  return new TaskError('bad-request', `${message}. To do: ${hint}${how}`, { cause: error })
}
