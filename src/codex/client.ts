// The client: one connection to one app-server, typed, and the threads open on it.
import { CLIENT_INFO, CONNECTION, MAX_BUFFERED_NOTIFICATIONS, requestTimeoutMs } from './defaults.ts'
import { DrawbridgeError, TransportClosedError } from './errors.ts'
import type { AppServer, Host } from './host.ts'
import { NotificationQueue } from './notification-queue.ts'
import {
  type ClientMethod,
  type ClientParams,
  type ClientResult,
  type CodexNotification,
  experimentalMethods,
  type protocol,
} from './protocol/index.ts'
import { replyText } from './reply-text.ts'
import { type RefusedRequest, type ServerRequestHandlers, ServerRequests } from './requests/index.ts'
import { type ResumeOptions, Thread, type ThreadOptions } from './thread.ts'
import { Connection, type WireIncident, type WireNotification } from './wire/index.ts'

/** Something that should not have happened and was survived. */
export type Incident = WireIncident | RefusedRequest

export interface CodexOptions {
  /** How codex is told who connects. Defaults to Drawbridge itself. */
  readonly clientInfo?: protocol.ClientInfo
  /** Allows experimental methods and fields. Off unless asked for. */
  readonly experimental?: boolean
  /** Notification methods codex should not send at all. */
  readonly optOut?: readonly string[]
  /** Who answers what codex asks. What has no handler is refused. */
  readonly handlers?: ServerRequestHandlers
  readonly onIncident?: (incident: Incident) => void
  readonly signal?: AbortSignal
}

/** Starts or reaches codex on a host and shakes hands. Leaves nothing behind when it rejects. */
export async function openCodex(host: Host, options: CodexOptions = {}): Promise<Codex> {
  const appServer = await host.open({ signal: options.signal })
  const codex = new Codex(appServer, options)
  try {
    await codex.handshake(options)
    return codex
  } catch (error) {
    await codex.close()
    throw error
  }
}

/** A client of one app-server. Everything on it ends when it is closed or codex dies. */
export class Codex {
  readonly #appServer: AppServer
  readonly #connection: Connection
  readonly #requests: ServerRequests
  readonly #threads = new Map<string, Thread>()
  readonly #subscribers = new Set<(notification: CodexNotification) => void>()
  readonly #isExperimental: boolean
  readonly #onIncident: (incident: Incident) => void
  #server: protocol.InitializeResponse | null = null
  #isClosing = false

  /** Made by `openCodex`. */
  constructor(appServer: AppServer, options: CodexOptions) {
    const onIncident = options.onIncident ?? (() => {})
    this.#onIncident = onIncident
    const clock: ServerRequestHandlers = {
      'currentTime/read': () => ({ currentTimeAt: Math.floor(Date.now() / 1000) }),
    }
    this.#appServer = appServer
    this.#isExperimental = options.experimental ?? false
    this.#requests = new ServerRequests({ ...clock, ...options.handlers }, onIncident)
    this.#connection = new Connection(
      appServer.channel,
      {
        notification: (notification) => this.#receive(notification),
        request: (request) => this.#requests.answer(request),
        incident: onIncident,
      },
      CONNECTION,
    )
    void this.#connection.closed.then((reason) => this.#lose(reason))
  }

  /** Resolves, never rejects, with the reason this client ended. */
  get closed(): Promise<TransportClosedError> {
    return this.#connection.closed
  }

  /** How codex names itself: client name, codex version, platform. */
  get userAgent(): string {
    return this.#initialized().userAgent
  }

  get codexHome(): string {
    return this.#initialized().codexHome
  }

  /** `0.166.0`; null when codex did not say. */
  get codexVersion(): string | null {
    return this.#appServer.codexVersion ?? /\/(\d+\.\d+\.\d+\S*)/.exec(this.userAgent)?.[1] ?? null
  }

  get pid(): number | null {
    return this.#appServer.pid
  }

  stderrTail(lines?: number): readonly string[] {
    return this.#appServer.stderrTail(lines)
  }

  /** Calls codex. The deadline covers waiting for a slot and retries after overload. */
  async request<M extends ClientMethod>(
    method: M,
    params: ClientParams<M>,
    options: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<ClientResult<M>> {
    if (!this.#isExperimental && experimentalMethods.has(method)) throw new ExperimentalMethodError(method)
    const timeoutMs = options.timeoutMs ?? requestTimeoutMs(method)
    const result = await this.#connection.request(method, params ?? {}, { timeoutMs, signal: options.signal })
    return result as ClientResult<M>
  }

  /** Starts a thread. Unless told otherwise it may only read, and asks before it does more. */
  async startThread(options: ThreadOptions = {}): Promise<Thread> {
    const safe = options.permissions ? {} : { sandbox: 'read-only' as const }
    const reply = await this.request('thread/start', { ...safe, approvalPolicy: 'on-request', ...options })
    return this.#open(replyText(reply?.thread?.id, { method: 'thread/start', field: 'thread.id' }), reply)
  }

  /** Loads a thread that has had at least one turn. Its history stays in codex: page it with `thread/turns/list`. */
  async resumeThread(threadId: string, options: ResumeOptions = {}): Promise<Thread> {
    const reply = await this.request('thread/resume', { ...options, threadId, excludeTurns: true })
    const resumed = replyText(reply?.thread?.id, { method: 'thread/resume', field: 'thread.id' })
    if (resumed !== threadId) throw new ResumedOtherThreadError(threadId, resumed)
    return this.#open(threadId, reply)
  }

  /** Calls back for every notification, on the reader and in wire order. Returns how to stop. */
  subscribe(subscriber: (notification: CodexNotification) => void): () => void {
    this.#subscribers.add(subscriber)
    return () => void this.#subscribers.delete(subscriber)
  }

  /** Every notification from now on. Ends when the client does, throwing if codex died. */
  notifications(): AsyncIterableIterator<CodexNotification, undefined> {
    const queue = new NotificationQueue(MAX_BUFFERED_NOTIFICATIONS)
    const unsubscribe = this.subscribe((notification) => {
      if (queue.isEnded) unsubscribe()
      else queue.push(notification)
    })
    void this.closed.then((reason) => queue.end(this.#isClosing ? null : reason))
    return queue
  }

  /** Ends the connection, and the process where it is ours. Turns still running end as interrupted. Idempotent. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#appServer.close()
    this.#connection.close(new TransportClosedError('the client was closed'))
    await this.closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Called once by `openCodex`. */
  async handshake({ clientInfo, optOut, signal }: CodexOptions): Promise<void> {
    const capabilities: protocol.InitializeCapabilities = {
      experimentalApi: this.#isExperimental,
      requestAttestation: false,
      ...(optOut && { optOutNotificationMethods: [...optOut] }),
    }
    const params = { clientInfo: clientInfo ?? CLIENT_INFO, capabilities }
    const server = await this.request('initialize', params, { signal })
    replyText(server?.userAgent, { method: 'initialize', field: 'userAgent' })
    this.#server = server
    this.#connection.notify('initialized', {})
  }

  #initialized(): protocol.InitializeResponse {
    if (!this.#server) throw new TypeError('codex has not been initialized')
    return this.#server
  }

  #open(threadId: string, { thread: _, ...settings }: ThreadReply): Thread {
    const open = this.#threads.get(threadId)
    if (open) return open
    const opened = new Thread(threadId, settings, (method, params) => this.request(method, params))
    this.#threads.set(threadId, opened)
    return opened
  }

  #receive(received: WireNotification): void {
    const notification = received as CodexNotification
    const { threadId, requestId } = (received.params ?? {}) as {
      threadId?: string
      requestId?: number | string
    }
    if (threadId !== undefined) this.#threads.get(threadId)?.receive(notification)
    if (notification.method === 'serverRequest/resolved') this.#requests.withdraw(requestId!, WITHDRAWN)
    // A turn that still runs keeps its thread: its own end may be told later, or be ours to tell.
    if (notification.method === 'thread/closed' && !this.#threads.get(threadId!)?.isBusy)
      this.#threads.delete(threadId!)
    for (const subscriber of this.#subscribers) this.#tell(subscriber, notification)
  }

  /** One that throws must not keep the others from hearing. */
  #tell(subscriber: (notification: CodexNotification) => void, notification: CodexNotification): void {
    try {
      subscriber(notification)
    } catch (error) {
      this.#onIncident({ type: 'handler-failed', method: notification.method, error })
    }
  }

  #lose(reason: TransportClosedError): void {
    this.#requests.withdrawAll(reason)
    for (const thread of this.#threads.values()) thread.lose(reason, this.#isClosing)
    this.#threads.clear()
  }
}

type ThreadReply = protocol.v2.ThreadStartResponse | protocol.v2.ThreadResumeResponse

const WITHDRAWN = new DrawbridgeError('codex no longer waits for this answer', { code: 'request-withdrawn' })

export class ExperimentalMethodError extends DrawbridgeError {
  constructor(method: string) {
    super(`${method} is experimental: open the client with { experimental: true } to use it`, {
      code: 'experimental-method',
    })
  }
}

export class ResumedOtherThreadError extends DrawbridgeError {
  constructor(asked: string, got: string) {
    super(`codex was asked to resume thread ${asked} and opened ${got}`, { code: 'resumed-other-thread' })
  }
}
