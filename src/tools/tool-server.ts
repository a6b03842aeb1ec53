// One HTTP server on loopback for the tools of all threads of this process. Each thread has a bearer of its own.
import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Tool } from '../codex/index.ts'
import { makeBearer, readBearer } from './bearer.ts'
import { type Claimed, GivenTools, type GiveOptions } from './given-tools.ts'
import { answerMcp, McpError, type McpMessage } from './mcp-requests.ts'
import { BadRequestError, readMessage, refusalOf } from './read-message.ts'

export interface ToolServerOptions {
  /** 0, the default: any that is free. */
  readonly port?: number
  /** What bearers are signed with. Keep it, and the port, where codex outlives this process. Default: random. */
  readonly secret?: string
  /** How long a call waits for tools whose thread is not open yet, after a restart. Default 20 s. */
  readonly patienceMs?: number
}

const PATIENCE_MS = 20_000
const MAX_CALLS = 256
const MAX_GIVEN = 10_000
/** codex closes connections that it does not use after 90 s; were we first, a call could meet a closed one. */
const KEEP_ALIVE_MS = 10 * 60_000

/** Listens on 127.0.0.1. Rejects when the port is taken. */
export async function openToolServer(options: ToolServerOptions = {}): Promise<ToolServer> {
  const http = createServer({ keepAliveTimeout: KEEP_ALIVE_MS })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  http.unref()
  return new ToolServer(http, options)
}

export class ToolServer {
  readonly port: number
  readonly #http: Server
  readonly #secret: string
  readonly #patienceMs: number
  readonly #given = new Map<string, GivenTools>()
  /** Those who wait for tools to be given, by key. */
  readonly #waiting = new Map<string, Set<(given: GivenTools) => void>>()
  /** Calls that run, by session and request id. */
  readonly #calls = new Map<string, AbortController>()

  /** Made by `openToolServer`. */
  constructor(http: Server, { secret, patienceMs }: ToolServerOptions) {
    this.#http = http
    this.#secret = secret ?? randomBytes(32).toString('base64url')
    this.#patienceMs = patienceMs ?? PATIENCE_MS
    this.port = (http.address() as AddressInfo).port
    http.on('request', (request, response) => void this.#serve(request, response))
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  /** For `startThread({ tools })` of one thread, and again for each resume of it. A fork needs its own. */
  give(tools: readonly Tool[], options: GiveOptions = {}): GivenTools {
    const key = options.key ?? randomUUID()
    const bearer = makeBearer(key, this.#secret)
    const onChange = (changed: GivenTools, isCallable: boolean) => {
      if (isCallable) this.#keep(key, changed)
      else if (this.#given.get(key) === changed) this.#given.delete(key)
    }
    const given = new GivenTools(tools, { url: this.url, bearer, options, onChange })
    this.#keep(key, given)
    return given
  }

  /** Cancels what runs. */
  async close(): Promise<void> {
    for (const call of this.#calls.values()) call.abort(new Error('the tool server is closing'))
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()))
    this.#http.closeAllConnections()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #keep(key: string, given: GivenTools): void {
    // Re-insert: Map order is least recently opened first.
    this.#given.delete(key)
    this.#given.set(key, given)
    // Of threads whose codex died nobody says that they are closed.
    if (this.#given.size > MAX_GIVEN) this.#given.delete(this.#given.keys().next().value!)
    for (const tell of this.#waiting.get(key) ?? []) tell(given)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refused = refusalOf(request, this.port)
      if (refused) return send(response, refused.status, { error: refused.message }, refused.headers)
      const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
      const key = bearer === undefined ? null : readBearer(bearer, this.#secret)
      if (key === null) return send(response, 401, { error: 'this bearer is not known here' })
      await this.#answer(await readMessage(request), { key, request, response })
    } catch (error) {
      const status = error instanceof BadRequestError ? error.status : 500
      send(response, status, { error: error instanceof BadRequestError ? error.message : 'it failed' })
    }
  }

  async #answer(
    message: McpMessage,
    { key, request, response }: { key: string; request: IncomingMessage; response: ServerResponse },
  ): Promise<void> {
    // Only to tell request ids of two clients apart, so one from before a restart is as good.
    const session = header(request, 'mcp-session-id') ?? randomUUID()
    const headers = { 'mcp-session-id': session }
    if (message.id === undefined || message.id === null) {
      if (message.method === 'notifications/cancelled') this.#cancel(`${key} ${session}`, message.params)
      return send(response, 202, null, headers)
    }
    const reply = await this.#reply(message, { key, session, response })
    send(response, 200, { jsonrpc: '2.0', id: message.id, ...reply }, headers)
  }

  async #reply(
    message: McpMessage,
    { key, session, response }: { key: string; session: string; response: ServerResponse },
  ): Promise<object> {
    const call = new AbortController()
    const id = `${key} ${session} ${JSON.stringify(message.id)}`
    if (this.#calls.size >= MAX_CALLS)
      return { error: { code: -32000, message: 'too many calls at once: try again later' } }
    this.#calls.set(id, call)
    response.once('close', () => call.abort(new Error('codex has closed the connection')))
    try {
      const result = await answerMcp(message, {
        given: () => this.#wait(key, call.signal),
        refusal: (given, claimed) => this.#refusal(given, claimed),
        signal: call.signal,
      })
      return { result }
    } catch (error) {
      if (!(error instanceof McpError)) throw error
      return { error: { code: error.rpcCode, message: error.message } }
    } finally {
      if (this.#calls.get(id) === call) this.#calls.delete(id)
    }
  }

  #cancel(caller: string, params: unknown): void {
    const { requestId } = Object(params) as { requestId?: unknown }
    this.#calls.get(`${caller} ${JSON.stringify(requestId)}`)?.abort(new Error('codex no longer wants it'))
  }

  /** The bearer says whose tools they are; a thread that is known to be another's does not get them. */
  #refusal(given: GivenTools, { threadId }: Claimed): string | null {
    if (threadId === null || given.threadId === null || threadId === given.threadId) return null
    const worksFor = given.parentOf(threadId) ?? threadId
    const owner = [...this.#given.values()].find((other) => other.threadId === worksFor)
    return owner === undefined || owner === given ? null : 'this tool belongs to another thread'
  }

  /** null when nobody has given them in time. */
  #wait(key: string, signal: AbortSignal): Promise<GivenTools | null> {
    const known = this.#given.get(key)
    if (known) return Promise.resolve(known)
    const waiting = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, waiting)
    return new Promise((resolve) => {
      const settle = (given: GivenTools | null) => {
        clearTimeout(timer)
        waiting.delete(settle)
        if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key)
        resolve(given)
      }
      const timer = setTimeout(() => settle(null), this.#patienceMs)
      signal.addEventListener('abort', () => settle(null), { once: true })
      waiting.add(settle)
    })
  }
}

function header(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' && value.length <= 200 ? value : null
}

function send(
  response: ServerResponse,
  status: number,
  body: object | null,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return
  const text = body === null ? '' : JSON.stringify(body)
  response.writeHead(status, {
    ...headers,
    'cache-control': 'no-store',
    ...(body !== null && { 'content-type': 'application/json' }),
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}
