// The service as a process: from its start to its last signal.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { redact, VERSION } from '../../codex/index.ts'
import { readStoreSettings, type Settings } from '../../config/index.ts'
import { type OutgoingNotice, StoreError } from '../../tasks/index.ts'
import { withPath } from '../../util/with-path.ts'
import { plainError } from '../errors/index.ts'
import { errorText, type Surroundings, UsageError } from '../process/index.ts'
import { onScreen } from '../screen/index.ts'
import { IN_USE_EXIT, keepLogShort, makeDataFolder, openBrowser } from '../service/index.ts'
import { openService, type Service } from './app.ts'
import { demoHint } from './demo-hint.ts'
import { desktopNotice } from './desktop-notice.ts'
import { Ends, seeToTheEnd } from './end.ts'

export interface ServeFlags {
  readonly port?: string
  readonly host?: string
  readonly allowHost: readonly string[]
  readonly open?: boolean
  readonly insecure?: boolean
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly demo?: boolean
  readonly json?: boolean
  /** Given by whoever started it in the background. */
  readonly logFile?: string
}

export async function serve(flags: ServeFlags, dataDir: string, surroundings: Surroundings): Promise<number> {
  const { env, self, stderr, interrupted } = surroundings
  makeDataFolder(dataDir)
  const settings = withHosts(readStoreSettings(dataDir, env), flags.allowHost)
  const tell = (line: string) =>
    void stderr.write(onScreen(`${flags.logFile ? `${new Date().toISOString()} ` : ''}${redact(line)}\n`))
  const ends = new Ends(interrupted)
  const host = flags.host ?? settings.host
  const tls = tlsOf(flags)
  refuseOpenHost(host, { isSafe: tls !== null || flags.insecure === true })
  const options = {
    dataDir,
    env,
    self,
    settings,
    host,
    port: flags.port === undefined ? settings.port : portOf(flags.port),
    tls,
    insecure: flags.insecure === true,
    tell,
    onLocalNotice: (notice: OutgoingNotice) => {
      tell(`notice: ${notice.title}`)
      desktopNotice(notice, env)
    },
    onBroken: (error: unknown) => ends.tell({ kind: 'broken', error }),
    onShutdown: ({ drain }: { drain: boolean }) => ends.tell({ kind: drain ? 'drain' : 'leave' }),
    signal: interrupted,
  }
  const service = await openService(options).catch((error: unknown) => {
    // Until it serves, it writes to its data folder only.
    if (!isInUse(error) || !flags.logFile) throw withPath(error, dataDir)
    tell(errorText(error))
    return null
  })
  if (!service) return IN_USE_EXIT
  const stopCutting = flags.logFile ? keepLogShort(flags.logFile) : () => {}
  try {
    await announce(service, { flags, dataDir, surroundings, tell })
    return await seeToTheEnd(service, ends, { tell, leave: surroundings.leave })
  } finally {
    stopCutting()
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'data-folder-in-use'
}

async function announce(
  service: Service,
  {
    flags,
    dataDir,
    surroundings,
    tell,
  }: { flags: ServeFlags; dataDir: string; surroundings: Surroundings; tell: (line: string) => void },
): Promise<void> {
  const { stdout, env } = surroundings
  const { url, store } = service
  const kept = store.kind === 'postgres' ? `, tasks in ${store.shownPlace}` : ''
  // In a log file a link would be a secret that is kept.
  if (flags.logFile)
    return tell(`Drawbridge ${VERSION} serves ${dataDir} at ${url} (pid ${process.pid})${kept}`)
  // On a shared store that is away just now there is no link; the service itself goes on.
  const link = await service.makeLoginLink().catch((error: unknown) => {
    tell(`no login link: ${errorText(error)}; get one later with: drawbridge login-link`)
    return null
  })
  if (flags.json) {
    const { url: loginLink = null, expiresAt = null } = link ?? {}
    const database = { kind: store.kind, place: store.shownPlace }
    const said = { url, loginLink, expiresAt, pid: process.pid, version: VERSION, dataDir, database }
    stdout.write(`${JSON.stringify(said)}\n`)
  } else {
    const invitation = link ? `Open the console, once, with this link: ${link.url}\n` : ''
    stdout.write(`Drawbridge serves at ${url}${kept}\n${invitation}`)
  }
  for (const line of demoHint(env, { isWanted: flags.demo === true })) tell(line)
  if (link && flags.open && stdout.isTTY) openBrowser(link.url, env)
}

/** The door refuses it too, but only once everything behind it is open. */
function refuseOpenHost(host: string, { isSafe }: { isSafe: boolean }): void {
  if (isSafe || host === 'localhost' || host === '::1' || host.startsWith('127.')) return
  throw new UsageError(
    `${host} can be reached from other machines: give --tls-cert and --tls-key, or say --insecure`,
  )
}

function withHosts(settings: Settings, names: readonly string[]): Settings {
  const wrong = names.find((name) => !/^([\w.-]+|\[[\da-f:]+\])(:\d+)?$/i.test(name))
  if (wrong !== undefined)
    throw new UsageError(`--allow-host: give a name alone, like bridge.example.com, not ${wrong}`)
  return { ...settings, allowHosts: [...settings.allowHosts, ...names] }
}

function portOf(text: string): number {
  const port = Number(text)
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new UsageError(`--port: not a port from 0 to 65535: ${text}`)
}

function tlsOf({ tlsCert, tlsKey }: ServeFlags): { cert: string; key: string } | null {
  if (tlsCert === undefined && tlsKey === undefined) return null
  if (tlsCert === undefined || tlsKey === undefined)
    throw new UsageError('--tls-cert and --tls-key go together: give both')
  const tls = { cert: pem(tlsCert, 'tls-cert'), key: pem(tlsKey, 'tls-key') }
  refuseBadPair(tls)
  return tls
}

function refuseBadPair({ cert, key }: { cert: string; key: string }): void {
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return
  } catch (error) {
    throw new UsageError(`--tls-cert and --tls-key are not a certificate and its key: ${errorText(error)}`)
  }
  throw new UsageError('--tls-key is the key of another certificate than --tls-cert')
}

function pem(file: string, option: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--${option}: ${plainError(error).text}`)
  }
}
