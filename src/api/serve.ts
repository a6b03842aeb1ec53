// The API on a socket.
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { DrawbridgeError, registerSecrets } from '../codex/index.ts'
import { type ApiLimits, type AppOptions, DEFAULT_LIMITS } from './api-options.ts'
import { createApi } from './app.ts'
import type { SharedStore } from './auth/credential-rows.ts'
import type { Credentials } from './auth/credentials.ts'
import { FileCredentials } from './auth/file-credentials.ts'
import { readOrMakeToken } from './auth/token.ts'
import type { LoginLink } from './contract.ts'
import { isLoopback } from './door/hosts.ts'
import { refuseUnread } from './door/refuse-unread.ts'
import { ApiMetrics } from './metrics.ts'

export interface ServeOptions extends Pick<AppOptions, 'service'> {
  /** Where the token is and, unless others share them, who was let in. */
  readonly dataDir: string
  /** Tokens, logins and links that are good at every door of a store. */
  readonly credentials?: SharedStore | undefined
  /** Other machines for tasks. */
  readonly hosts?: AppOptions['hosts'] | undefined
  readonly workspaces?: AppOptions['workspaces'] | undefined
  readonly files?: AppOptions['files'] | undefined
  readonly snapshots?: AppOptions['snapshots'] | undefined
  /** Where named tokens are kept. */
  readonly tokens?: AppOptions['tokens'] | undefined
  /** Default 127.0.0.1. */
  readonly host?: string
  /** 0: any that is free. */
  readonly port: number
  /** Certificate and key, PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** Serve other machines without TLS: whoever listens in between can do everything. */
  readonly insecure?: boolean | undefined
  readonly allowHosts?: readonly string[] | undefined
  /** How browsers reach it, when not at host and port. */
  readonly publicUrl?: string | undefined
  readonly consoleDir?: string | null | undefined
  readonly limits?: Partial<ApiLimits> | undefined
  readonly metrics?: ApiMetrics | undefined
  readonly offers?: AppOptions['offers'] | undefined
  readonly database?: AppOptions['database'] | undefined
  readonly isReady?: AppOptions['isReady'] | undefined
  readonly doctor?: AppOptions['doctor'] | undefined
  readonly trust?: AppOptions['trust'] | undefined
  readonly mcp?: AppOptions['mcp'] | undefined
  readonly tools?: AppOptions['tools'] | undefined
  readonly accounts?: AppOptions['accounts'] | undefined
  readonly resolvePath?: AppOptions['resolvePath'] | undefined
  readonly onShutdown?: AppOptions['onShutdown'] | undefined
  readonly onError?: AppOptions['onError'] | undefined
  readonly now?: (() => number) | undefined
}

export interface ServedApi {
  readonly url: string
  readonly port: number
  makeLoginLink(): Promise<LoginLink>
  /** Streams are told and end, what is being answered is answered, then the socket closes. */
  close(): Promise<void>
}

/** How long requests may take to end once the service stops. */
const CLOSE_MS = 3000

/** Makes the token if there is none. Rejects when the address cannot be had, or must not. */
export async function serveApi(options: ServeOptions): Promise<ServedApi> {
  const { host = '127.0.0.1', port, tls, dataDir } = options
  refuseOpenDoor(host, options)
  registerSecrets([readOrMakeToken(dataDir)])
  let url = ''
  const credentials = await openCredentials(options)
  const api = createApi({ ...complete(options), credentials, publicUrl: () => options.publicUrl ?? url })
  const server = makeServer(api.app.fetch, { tls, limits: { ...DEFAULT_LIMITS, ...options.limits } })
  await listen(server, host, port).catch((error: unknown) => {
    credentials.close()
    throw error
  })
  server.on('error', (error) => options.onError?.(error, 'socket'))
  const address = server.address() as AddressInfo
  url = `${tls ? 'https' : 'http'}://${shownHost(host)}:${address.port}`
  let closed: Promise<void> | null = null
  return {
    url,
    port: address.port,
    makeLoginLink: () => api.makeLoginLink(),
    close: () => {
      closed ??= close(server, () => api.streams.closeAll('the service is stopping')).finally(() =>
        credentials.close(),
      )
      return closed
    },
  }
}

async function openCredentials(options: ServeOptions): Promise<Credentials> {
  const { dataDir, credentials, now = Date.now, onError } = options
  if (!credentials) return new FileCredentials({ dataDir, now })
  const { SharedCredentials } = await import('./auth/shared-credentials.ts')
  const told = (error: unknown) => onError?.(error, 'credentials')
  const shared = new SharedCredentials({ ...credentials, dataDir, now, onError: told })
  // If the database is away just now it is tried again until it is there.
  await shared.publish().catch(() => undefined)
  return shared
}

function complete(options: ServeOptions): Omit<AppOptions, 'publicUrl' | 'credentials'> {
  const now = options.now ?? Date.now
  const { service, host, allowHosts = [] } = options
  return {
    service,
    tokens: options.tokens ?? null,
    allowHosts: [...allowHosts, ...(host ? [shownHost(host)] : []), ...publicHost(options.publicUrl)],
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    metrics: options.metrics ?? new ApiMetrics(),
    consoleDir: options.consoleDir ?? null,
    offers: options.offers ?? { demo: null, defaultCwd: null },
    database: options.database ?? null,
    isReady: options.isReady ?? (async () => true),
    doctor: options.doctor ?? null,
    trust: options.trust ?? null,
    mcp: options.mcp ?? null,
    tools: options.tools ?? null,
    accounts: options.accounts ?? null,
    hosts: options.hosts ?? null,
    workspaces: options.workspaces ?? null,
    files: options.files ?? null,
    snapshots: options.snapshots ?? null,
    resolvePath: options.resolvePath ?? (() => null),
    onShutdown: options.onShutdown ?? (() => undefined),
    onError: options.onError ?? (() => undefined),
    now,
    startedAt: now(),
  }
}

function publicHost(publicUrl: string | undefined): string[] {
  return publicUrl === undefined ? [] : [new URL(publicUrl).host]
}

function refuseOpenDoor(host: string, { tls, insecure = false }: ServeOptions): void {
  if (isLoopback(host) || host === 'localhost' || tls || insecure) return
  throw new DrawbridgeError(
    `${host} can be reached from other machines: give a certificate, or say that it may be insecure`,
    { code: 'insecure-host' },
  )
}

type HttpServer = ReturnType<typeof createServer>

function makeServer(
  fetch: Parameters<typeof getRequestListener>[0],
  { tls, limits }: { tls: ServeOptions['tls']; limits: ApiLimits },
): HttpServer {
  // The global Request and Response belong to whoever runs us.
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false })
  const settings = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.max(50, Math.min(2000, limits.headersMs / 4)),
  }
  const answer = (...request: Parameters<typeof listener>) => void listener(...request)
  const server = tls
    ? createTlsServer({ ...settings, ...tls, handshakeTimeout: limits.headersMs }, answer)
    : createServer(settings, answer)
  server.on('clientError', refuseUnread)
  server.maxHeadersCount = 100
  server.maxConnections = limits.connections
  return server
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, host, resolve)
  await promise
  server.off('error', reject)
}

async function close(server: HttpServer, endStreams: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  endStreams()
  // A connection that is idle once its answer is sent is not closed by the server itself.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS)
  await promise
  clearInterval(idle)
  clearTimeout(timer)
}

/** As it stands in an address. One that stands for all is reached by loopback from here. */
function shownHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
