/** Base of every error this package throws. Decide on `code` and `retryable`, never on the message. */
export class DrawbridgeError extends Error {
  readonly code: string
  /** Whether the same call may succeed later without anything being changed. */
  readonly retryable: boolean

  constructor(message: string, options: { code: string; retryable?: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.name = new.target.name
    this.code = options.code
    this.retryable = options.retryable ?? false
  }
}

/** The way to the app-server is gone: it exited, the socket dropped, or we closed it. */
export class TransportClosedError extends DrawbridgeError {
  /** The last lines codex wrote to stderr, where there is a process to have written them. */
  readonly stderrTail: readonly string[]
  /** Whether codex itself is gone; otherwise only the way to it is known to be. */
  readonly hasCodexEnded: boolean

  constructor(
    message: string,
    options: { stderrTail?: readonly string[]; hasCodexEnded?: boolean; cause?: unknown } = {},
  ) {
    super(message, { code: 'transport-closed', cause: options.cause })
    this.stderrTail = options.stderrTail ?? []
    this.hasCodexEnded = options.hasCodexEnded ?? false
  }
}

/** codex answered a request with an error. */
export class RpcError extends DrawbridgeError {
  readonly method: string
  readonly rpcCode: number
  /** What codex said, and nothing else. */
  readonly rpcMessage: string
  readonly data: unknown

  constructor(method: string, error: { code: number; message: string; data?: unknown }) {
    super(`codex refused ${method}: ${error.message} (${error.code})`, {
      code: 'rpc-error',
      retryable: error.code === OVERLOADED,
    })
    this.method = method
    this.rpcCode = error.code
    this.rpcMessage = error.message
    this.data = error.data
  }
}

/** The code codex answers with when its queue is full: it did nothing, ask again later. */
export const OVERLOADED = -32001

/** codex answered a request without what we need to go on: it speaks another protocol than we do. */
export class UnexpectedReplyError extends DrawbridgeError {
  readonly method: string

  constructor(method: string, missing: string) {
    super(
      `codex answered ${method} without ${missing}: this codex may be too new or too old for Drawbridge`,
      {
        code: 'unexpected-reply',
      },
    )
    this.method = method
  }
}

/** codex did not answer within the request's deadline. A reply that comes later is counted and dropped. */
export class RequestTimeoutError extends DrawbridgeError {
  readonly method: string
  readonly timeoutMs: number

  constructor(method: string, timeoutMs: number) {
    super(`codex did not answer ${method} within ${timeoutMs} ms`, {
      code: 'request-timeout',
      retryable: true,
    })
    this.method = method
    this.timeoutMs = timeoutMs
  }
}
