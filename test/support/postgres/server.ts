// A real PostgreSQL server on loopback. It never outlives this process, however this process ends.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../free-port.ts'
import { postgresBinaries } from './binaries.ts'
import { fastFolder } from './fast-folder.ts'
import { type Account, serverAccount } from './server-account.ts'
import { SUPERVISOR } from './supervisor.ts'

export interface PostgresOptions {
  /** Commits survive a power cut. Default false: they survive the end of the server. */
  readonly isDurable?: boolean
  /** For its configuration file. */
  readonly settings?: Readonly<Record<string, string | number>>
  /** PEM. With it the server takes TLS connections. */
  readonly tls?: { readonly certificate: string; readonly key: string }
}

/** `fast` ends sessions in order; `immediate` drops them as a crash does, and the next start recovers. */
type StopMode = 'fast' | 'immediate'

export interface PostgresServer {
  readonly port: number
  readonly password: string
  /** Its data and more; gone when it is closed. */
  readonly folder: string
  /** For the owner of everything. */
  url(database: string): string
  stop(mode?: StopMode): Promise<void>
  start(): Promise<void>
  restart(mode?: StopMode): Promise<void>
  /** SIGKILL, also to its sessions: no word to anybody. */
  kill(): Promise<void>
  /** Stops it and removes its data. */
  close(): Promise<void>
}

const SIGNALS = { fast: 'INT', immediate: 'QUIT', kill: 'KILL' } as const

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const binaries = await postgresBinaries()
  const account = await serverAccount()
  const folder = await mkdtemp(path.join(fastFolder(), 'drawbridge-postgres-'))
  const password = randomBytes(18).toString('base64url')
  const place = { binaries, account, folder, port: await freePort() }
  try {
    if (account) await chown(folder, account.uid, account.gid)
    await initialise(place, password)
    await writeSettings(place, options)
    let running: Running | null = await run(place)
    const end = async (signal: keyof typeof SIGNALS) => {
      await running?.end(SIGNALS[signal])
      running = null
    }
    const start = async () => {
      running ??= await run(place)
    }
    return {
      port: place.port,
      password,
      folder,
      url: (database) => `postgres://postgres:${password}@127.0.0.1:${place.port}/${database}`,
      start,
      stop: (mode = 'fast') => end(mode),
      kill: () => end('kill'),
      async restart(mode = 'fast') {
        await end(mode)
        await start()
      },
      async close() {
        await end('immediate')
        await rm(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

interface Place {
  readonly binaries: string
  readonly account: Account | null
  readonly folder: string
  readonly port: number
}

const CLEAN_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }

/** Text is compared by the rules of a language, as in most databases out there: what relies on byte order shows. */
async function initialise({ binaries, account, folder }: Place, password: string): Promise<void> {
  const passwordFile = path.join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (account) await chown(passwordFile, account.uid, account.gid)
  const words = [
    ...['-D', path.join(folder, 'data'), '-U', 'postgres', '--pwfile', passwordFile, '-A', 'scram-sha-256'],
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US', '--no-sync'],
  ]
  const options = { ...account, cwd: folder, env: CLEAN_ENVIRONMENT }
  await promisify(execFile)(path.join(binaries, 'bin/initdb'), words, options)
  await rm(passwordFile)
}

async function writeSettings(place: Place, { isDurable = false, settings, tls }: PostgresOptions) {
  const file = async (name: string, text: string) => {
    const where = path.join(place.folder, 'data', name)
    await writeFile(where, text)
    await chmod(where, 0o600)
    if (place.account) await chown(where, place.account.uid, place.account.gid)
  }
  if (tls) {
    await file('server.crt', tls.certificate)
    await file('server.key', tls.key)
  }
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: place.port,
    max_connections: 200,
    shared_buffers: '32MB',
    ...(isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...(tls ? { ssl: 'on', ssl_cert_file: 'server.crt', ssl_key_file: 'server.key' } : {}),
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`)
  await file('postgresql.auto.conf', lines.join(''))
}

interface Running {
  /** Resolves when the server and all its sessions are gone. */
  end(signal: string): Promise<void>
}

/** Resolves when it takes connections. */
async function run({ binaries, account, folder }: Place): Promise<Running> {
  const server = [path.join(binaries, 'bin/postgres'), '-D', path.join(folder, 'data')]
  const child: ChildProcess = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', folder, ...server], {
    ...account,
    cwd: folder,
    env: CLEAN_ENVIRONMENT,
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true, // Ctrl-C reaches us, and through us the server
  })
  // Sessions hold stderr as well: it closes with the last of them.
  const closed = once(child, 'close')
  const ready = Promise.withResolvers<void>()
  let log = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-20_000)
    if (log.includes('ready to accept connections')) ready.resolve()
  })
  child.stdin!.on('error', () => {})
  void closed.then(() => ready.reject(new Error(`PostgreSQL did not start:\n${log}`)))
  await ready.promise
  for (const part of [child, child.stdin, child.stderr] as { unref?: () => void }[]) part.unref?.()
  return {
    async end(signal) {
      for (const part of [child, child.stdin, child.stderr] as { ref?: () => void }[]) part.ref?.()
      child.stdin!.write(`${signal}\n`)
      await closed
    },
  }
}
