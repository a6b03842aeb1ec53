// JSON-RPC over a channel: correlation, deadlines, the in-flight limit, overload retries. It knows codex's framing
// but none of its methods; what requests and notifications mean is the client's business.
import { backoffMs } from '../../util/backoff.ts'
import { LONGEST_TIMER_MS } from '../../util/longest-timer.ts'
import { OVERLOADED, RequestTimeoutError, RpcError, type TransportClosedError } from '../errors/index.ts'
import type { Channel } from './channel.ts'
import {
  encode,
  isRefusal,
  type RequestId,
  type WireIncident,
  WireNotification,
  type WireRequest,
} from './message.ts'
import { type Call, PendingCalls } from './pending-calls.ts'

const INTERNAL_ERROR = -32603

/** What a connection tells its owner. */
export interface ConnectionHandlers {
  /** Called on the reader, in wire order: be quick. */
  notification(notification: WireNotification): void
  /**
   * Called on the reader, like a notification, so that a withdrawal in the next line finds it: whatever takes time
   * goes after an `await`. What it resolves with is the reply; a rejection (see `Refusal`) is an error reply.
   */
  request(request: WireRequest): Promise<unknown>
  incident(incident: WireIncident): void
}

export interface ConnectionOptions {
  readonly maxInFlight: number
  /** How often a request is sent again when codex says it is overloaded, and how long we wait between. */
  readonly overload: { readonly maxRetries: number; readonly baseMs: number; readonly maxMs: number }
  readonly random: () => number
}

export interface RequestOptions {
  /** Covers everything: waiting for a slot, retries, and codex's answer. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

type Incoming = { method?: unknown; id?: unknown; params?: unknown; result?: unknown; error?: unknown }

/** One JSON-RPC exchange. Owns its channel and ends when the channel does. */
export class Connection {
  /** Resolves, never rejects, with the reason the connection ended. */
  readonly closed: Promise<TransportClosedError>

  readonly #channel: Channel
  readonly #handlers: ConnectionHandlers
  readonly #options: ConnectionOptions
  readonly #calls: PendingCalls
  /** Requests of codex that are being answered. It sends them again, with the same id, when a thread is resumed. */
  readonly #serving = new Set<RequestId>()
  #closedBy: TransportClosedError | null = null

  constructor(channel: Channel, handlers: ConnectionHandlers, options: ConnectionOptions) {
    this.#channel = channel
    this.#handlers = handlers
    this.#options = options
    this.#calls = new PendingCalls(options.maxInFlight, (call) =>
      channel.send(encode({ id: call.id, method: call.method, params: call.params })),
    )
    const { promise, resolve } = Promise.withResolvers<TransportClosedError>()
    this.closed = promise
    channel.read({
      line: (raw) => this.#line(raw),
      oversize: (bytes) => handlers.incident({ type: 'oversize-line', bytes }),
      closed: (reason) => {
        this.#closedBy = reason
        this.#calls.rejectAll(reason)
        resolve(reason)
      },
    })
  }

  /** Requests that hold one of the in-flight slots, and requests waiting for one. */
  get load(): { inFlight: number; queued: number } {
    return this.#calls.load
  }

  /** Settles exactly once: codex's answer, the deadline, the signal's reason, or the end of the connection. */
  request(method: string, params: unknown, { timeoutMs, signal }: RequestOptions): Promise<unknown> {
    if (this.#closedBy) return Promise.reject(this.#closedBy)
    if (signal?.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const call = this.#calls.add({ method, params }, { resolve, reject })
      const timeOut = () => call.reject(new RequestTimeoutError(method, timeoutMs))
      const timer = setTimeout(timeOut, Math.min(timeoutMs, LONGEST_TIMER_MS))
      const onAbort = () => call.reject(signal?.reason)
      signal?.addEventListener('abort', onAbort)
      call.onSettled(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      })
      this.#calls.pump()
    })
  }

  notify(method: string, params: unknown): void {
    this.#channel.send(encode({ method, params }))
  }

  /** Ends the connection once. Everyone still waiting learns the same reason. */
  close(reason: TransportClosedError): void {
    this.#channel.close(reason)
  }

  #line(raw: string): void {
    let message: Incoming | null
    try {
      message = JSON.parse(raw)
    } catch {
      return this.#handlers.incident({ type: 'non-json-line', ...excerpt(raw) })
    }
    if (typeof message !== 'object' || message === null) return this.#malformed(raw)
    if (typeof message.method !== 'string') return this.#reply(message, raw)
    if (message.id === undefined)
      return this.#notification(new WireNotification(message as { method: string }, raw))
    void this.#serve({ id: message.id as RequestId, method: message.method, params: message.params, raw })
  }

  #notification(notification: WireNotification): void {
    try {
      this.#handlers.notification(notification)
    } catch (error) {
      this.#handlers.incident({ type: 'handler-failed', method: notification.method, error })
    }
  }

  #reply(message: Incoming, raw: string): void {
    if (message.id === undefined || (message.result === undefined && !message.error))
      return this.#malformed(raw)
    const call = this.#calls.get(message.id)
    if (!call) {
      const type = this.#calls.wasSent(message.id) ? 'late-reply' : 'unknown-reply'
      return this.#handlers.incident({ type, id: message.id as RequestId })
    }
    if (!message.error) return call.resolve(message.result)
    const error = rpcError(call.method, message.error)
    if (error.rpcCode === OVERLOADED && call.retries < this.#options.overload.maxRetries)
      this.#retryLater(call)
    else call.reject(error)
  }

  /** The call keeps its slot while it waits: an overloaded codex is not helped by others taking its place. */
  #retryLater(call: Call): void {
    const waitMs = backoffMs(call.retries++, { ...this.#options.overload, random: this.#options.random })
    setTimeout(() => {
      if (!call.isSettled) this.#calls.send(call)
    }, waitMs)
  }

  async #serve(request: WireRequest): Promise<void> {
    if (this.#serving.has(request.id)) return
    this.#serving.add(request.id)
    const answer = await this.#answer(request).catch((error) => encode(this.#refuse(request, error)))
    this.#serving.delete(request.id)
    this.#channel.send(answer)
  }

  async #answer(request: WireRequest): Promise<string> {
    const result = await this.#handlers.request(request)
    return encode({ id: request.id, result: result ?? null })
  }

  #refuse(request: WireRequest, error: unknown): object {
    if (isRefusal(error)) return { id: request.id, error: { code: error.rpcCode, message: error.message } }
    this.#handlers.incident({ type: 'handler-failed', method: request.method, error })
    return {
      id: request.id,
      error: { code: INTERNAL_ERROR, message: 'the client failed to handle this request' },
    }
  }

  #malformed(raw: string): void {
    this.#handlers.incident({ type: 'malformed-message', ...excerpt(raw) })
  }
}

function excerpt(raw: string): { line: string; length: number } {
  return { line: raw.slice(0, 200), length: raw.length }
}

function rpcError(method: string, error: unknown): RpcError {
  const { code, message, data } = Object(error) as { code?: unknown; message?: unknown; data?: unknown }
  return new RpcError(method, {
    code: typeof code === 'number' ? code : -1,
    message: typeof message === 'string' ? message : JSON.stringify(error),
    data,
  })
}
