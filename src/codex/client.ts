// The client: one connection to one app-server, typed, and the threads open on it.
import { CLIENT_INFO, CONNECTION, LOOK, MAX_BUFFERED_NOTIFICATIONS, requestTimeoutMs } from './defaults.ts'
import { replyText, requireSupport, TransportClosedError, unsupportedBy } from './errors/index.ts'
import { Gate } from './gate.ts'
import { type AppServer, type Host, NO_PATH_FACTS, type PathFacts } from './host.ts'
import { NotificationRedactor } from './notification-redactor.ts'
import { everyItem, type PagedMethod, type PageItem } from './pages.ts'
import {
  type ClientMethod,
  type ClientParams,
  type ClientResult,
  type CodexNotification,
  isAtLeast,
  type protocol,
} from './protocol/index.ts'
import { RateLimits } from './rate-limits.ts'
import type { Approver, Decision, ParentTurn, ServerRequestHandlers } from './requests/index.ts'
import { revertThread } from './revert.ts'
import {
  Environments,
  type ForkOptions,
  type Incident,
  type LossCause,
  NotificationQueue,
  OpenThreads,
  type ResumeOptions,
  type Thread,
  ThreadOpener,
  type ThreadOptions,
  type TurnContext,
  threadOfIncident,
} from './thread/index.ts'
import { Connection, type WireNotification } from './wire/index.ts'

export interface CodexOptions {
  /** How codex is told who connects. Defaults to Drawbridge itself. */
  readonly clientInfo?: protocol.ClientInfo
  /** Allows experimental methods and fields. Off unless asked for. */
  readonly experimental?: boolean
  /** Notification methods codex should not send at all. */
  readonly optOut?: readonly string[]
  /** Who answers what codex asks. What has no handler is refused. */
  readonly handlers?: ServerRequestHandlers
  /** Answers what codex asks of people, unless a handler does. Without either, no. */
  readonly onApproval?: Approver
  /** How long it may take before the answer is no. By default as long as the question stands. */
  readonly approvalTimeoutMs?: number
  /** Hears what was decided, by whom and why: once for every question that was put. */
  readonly onDecision?: (decision: Decision) => void
  /** Takes secrets out of every notification before anybody sees it. Off: you get what codex wrote. */
  readonly redact?: boolean
  /** When a silent turn makes us ask codex about it. */
  readonly look?: { readonly afterMs: number; readonly everyMs: number }
  /** Hears every notification from the very first, also those that come with the handshake. */
  readonly onNotification?: (notification: CodexNotification) => void
  readonly onIncident?: (incident: Incident) => void
  /** Hears how long each request took, for metrics. Must not throw. */
  readonly onAnswered?: (answered: { method: string; seconds: number; isError: boolean }) => void
  readonly signal?: AbortSignal
}

/** Starts or reaches codex on a host and shakes hands. Leaves nothing behind when it rejects. */
export async function openCodex(host: Host, options: CodexOptions = {}): Promise<Codex> {
  const appServer = await host.open({ signal: options.signal })
  const codex = new Codex(appServer, { ...options, ...placeOf(host) })
  try {
    await codex.handshake(options)
    return codex
  } catch (error) {
    await codex.close()
    throw error
  }
}

function placeOf({ realPath, kindOf, machine }: Host): Pick<Host, 'realPath' | 'kindOf' | 'machine'> {
  return { realPath, kindOf, ...(machine !== undefined && { machine }) }
}

/** A client of one app-server. Everything on it ends when it is closed or codex dies. */
export class Codex {
  readonly #appServer: AppServer
  readonly #connection: Connection
  readonly #gate: Gate
  readonly #threads = new OpenThreads((method, error) =>
    this.#onIncident({ type: 'handler-failed', method, error }),
  )
  readonly #opener: ThreadOpener
  readonly #rateLimits = new RateLimits()
  readonly #subscribers = new Set<(notification: CodexNotification) => void>()
  /** Of `notifications()`: one per consumer that has not left. */
  readonly #queues = new Set<NotificationQueue>()
  readonly #options: CodexOptions
  readonly #paths: PathFacts
  readonly #redactor: NotificationRedactor | null
  readonly #onIncident: (incident: Incident) => void
  readonly #route = (notification: CodexNotification) => this.#threads.route(notification)
  readonly #observe = (notification: CodexNotification) => this.#gate.observe(notification)
  #server: protocol.InitializeResponse | null = null
  #isClosing = false

  /** Made by `openCodex`. */
  constructor(appServer: AppServer, options: CodexOptions & Pick<Host, 'realPath' | 'kindOf' | 'machine'>) {
    this.#appServer = appServer
    this.#options = options
    const { realPath = NO_PATH_FACTS.realPath, kindOf = NO_PATH_FACTS.kindOf } = options
    this.#paths = { realPath, kindOf }
    this.#redactor = options.redact ? new NotificationRedactor() : null
    const tell = harmless(options.onIncident)
    this.#onIncident = (incident) => {
      tell(incident)
      const threadId = threadOfIncident(incident)
      if (threadId !== null) harmless(this.#threads.listenerOf(threadId)?.incident)(incident)
    }
    if (options.onNotification) this.subscribe(options.onNotification)
    this.#gate = new Gate({
      handlers: { ...TELL_THE_TIME, ...options.handlers },
      onApproval: options.onApproval ?? null,
      approvalTimeoutMs: options.approvalTimeoutMs ?? null,
      onDecision: options.onDecision ?? (() => {}),
      onIncident: this.#onIncident,
      threads: this.#threads,
      codexVersion: () => this.codexVersion,
      machine: options.machine,
      opened: (threadId) =>
        this.#opener.opened((threadId && this.#threads.parentOf(threadId)?.threadId) ?? threadId),
    })
    this.#connection = new Connection(
      appServer.channel,
      {
        notification: (notification) => this.#receive(notification),
        request: (request) => this.#gate.answer(request),
        incident: this.#onIncident,
      },
      CONNECTION,
    )
    this.#opener = new ThreadOpener({
      request: (method, params, limit) => this.request(method, params, limit),
      threads: this.#threads,
      version: () => this.codexVersion,
      rights: {
        protection: appServer.protection ?? null,
        isExperimental: options.experimental ?? false,
      },
      paths: this.#paths,
      environments: new Environments(
        (method, params, limit) => this.request(method, params, limit),
        () => this.codexVersion,
      ),
      turnContext: (isEphemeral) => this.#turnContext(isEphemeral),
      onIncident: tell,
    })
    void this.#connection.closed.then((reason) => {
      this.#gate.close(reason)
      this.#threads.lose(reason, this.#lossCause(reason))
      for (const queue of this.#queues) queue.end(this.#isClosing ? null : reason)
    })
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
    return (
      this.#appServer.codexVersion ?? /\/(\d+\.\d+\.\d+\S*)/.exec(this.#server?.userAgent ?? '')?.[1] ?? null
    )
  }

  /** Whether experimental methods and fields were asked for. */
  get isExperimental(): boolean {
    return this.#options.experimental ?? false
  }

  get pid(): number | null {
    return this.#appServer.pid
  }

  /** When the account's exhausted limits reset, as far as codex has said; null when none is exhausted. */
  get limitsResetAt(): Date | null {
    return this.#rateLimits.resetAt
  }

  /** How many threads are open here. */
  get openThreads(): number {
    return this.#threads.count
  }

  stderrTail(lines?: number): readonly string[] {
    return this.#appServer.stderrTail(lines)
  }

  /** The turn on whose behalf a thread that we never opened works: a sub-agent's. */
  parentOf(threadId: string): ParentTurn | null {
    return this.#threads.parentOf(threadId)
  }

  /** Calls codex. The deadline covers waiting for a slot and retries after overload. */
  async request<M extends ClientMethod>(
    method: M,
    params: ClientParams<M>,
    options: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<ClientResult<M>> {
    const version = this.codexVersion
    requireSupport(method, { version, isExperimental: this.isExperimental })
    const timeoutMs = options.timeoutMs ?? requestTimeoutMs(method)
    const startedAt = performance.now()
    let isError = true
    try {
      const asked = this.#connection.request(method, params ?? {}, { timeoutMs, signal: options.signal })
      const result = await asked
      isError = false
      if (method === 'thread/unsubscribe') this.#leave((params as { threadId: string }).threadId)
      return result as ClientResult<M>
    } catch (error) {
      throw unsupportedBy(error, method, version)
    } finally {
      this.#options.onAnswered?.({ method, seconds: (performance.now() - startedAt) / 1_000, isError })
    }
  }

  /** Everything a method that answers in pages has: `thread/list`, `model/list`, `thread/turns/list` … */
  list<M extends PagedMethod>(method: M, params: ClientParams<M>): AsyncGenerator<PageItem<M>, void> {
    return everyItem<M>((page) => this.request(method, page), params)
  }

  /** Starts a thread. Unless told otherwise it may only read, and asks before it does more. */
  startThread(options: ThreadOptions = {}): Promise<Thread> {
    return this.#opener.start(options)
  }

  /** Loads a thread that has had at least one turn. Its history stays in codex: `list('thread/turns/list', …)`. */
  resumeThread(threadId: string, options: ResumeOptions = {}): Promise<Thread> {
    return this.#opener.resume(threadId, options)
  }

  /** A new thread with the history of another, up to `lastTurnId` when given. */
  forkThread(threadId: string, options: ForkOptions = {}): Promise<Thread> {
    return this.#opener.fork(threadId, options)
  }

  /** Takes back a turn and all that followed it. Files stay as they are. */
  revertThread(threadId: string, { beforeTurnId }: { beforeTurnId: string }): Promise<void> {
    return revertThread(this, { threadId, beforeTurnId })
  }

  /** Calls back for every notification, on the reader and in wire order. Returns how to stop. */
  subscribe(subscriber: (notification: CodexNotification) => void): () => void {
    this.#subscribers.add(subscriber)
    return () => void this.#subscribers.delete(subscriber)
  }

  /** Every notification from now on. Ends when the client does, throwing if codex died. */
  notifications(): AsyncIterableIterator<CodexNotification> {
    const queue = new NotificationQueue(MAX_BUFFERED_NOTIFICATIONS)
    this.#queues.add(queue)
    return queue
  }

  /**
   * Ends the connection, and the process where it is ours: turns still running are then interrupted. An app-server that
   * outlives us goes on with them, and they are detached. Idempotent.
   */
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
  async handshake({ clientInfo, optOut, experimental, signal }: CodexOptions): Promise<void> {
    const capabilities: protocol.InitializeCapabilities = {
      experimentalApi: experimental ?? false,
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

  /** A codex that died while we were closing was lost, not left. */
  #lossCause(reason: TransportClosedError): LossCause {
    if (!this.#isClosing || reason.hasCodexEnded) return 'lost'
    return this.#appServer.outlivesUs ? 'detached' : 'shutdown'
  }

  #leave(threadId: string): void {
    this.#threads.release(threadId)
    this.#gate.leaveThread(threadId)
  }

  #turnContext(isEphemeral: boolean): TurnContext {
    return {
      request: (method, params, limit) => this.request(method, params, limit),
      kindOf: this.#paths.kindOf,
      isExperimental: this.isExperimental,
      isEphemeral,
      repeatsUsage: this.codexVersion !== null && !isAtLeast(this.codexVersion, '0.131.0'),
      look: this.#options.look ?? LOOK,
      resetAt: () => this.limitsResetAt,
      isAsking: (turnId) => this.#gate.isAsking(turnId),
      onIncident: this.#onIncident,
    }
  }

  #receive(received: WireNotification): void {
    const redactor = this.#redactor
    if (redactor) for (const held of redactor.heldBefore(received)) this.#publish(held as CodexNotification)
    const notification = (redactor?.redact(received) ?? received) as CodexNotification
    // Whoever approves must see what really is to be changed.
    this.#publish(notification, received as CodexNotification)
  }

  #publish(notification: CodexNotification, observed?: CodexNotification): void {
    this.#tell(this.#route, notification)
    if (observed) this.#tell(this.#observe, observed)
    if (notification.method === 'account/rateLimits/updated')
      this.#rateLimits.update(notification.params?.rateLimits)
    for (const subscriber of this.#subscribers) this.#tell(subscriber, notification)
    for (const queue of this.#queues) {
      if (queue.isEnded) this.#queues.delete(queue)
      else queue.push(notification)
    }
  }

  /** One that throws must not keep the others from hearing. */
  #tell(subscriber: (notification: CodexNotification) => void, notification: CodexNotification): void {
    try {
      subscriber(notification)
    } catch (error) {
      this.#onIncident({ type: 'handler-failed', method: notification.method, error })
    }
  }
}

/** A failure to tell the time would stop the turn. */
const TELL_THE_TIME: ServerRequestHandlers = {
  'currentTime/read': () => ({ currentTimeAt: Math.floor(Date.now() / 1_000) }),
}

/** Reporting a mishap must not become another. */
function harmless(report: CodexOptions['onIncident']): (incident: Incident) => void {
  return (incident) => {
    try {
      report?.(incident)
    } catch (error) {
      process.emitWarning(`onIncident threw: ${error}`)
    }
  }
}
