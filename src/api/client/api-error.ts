import { DrawbridgeError } from '../../codex/index.ts'

/**
 * The service refused, or could not be reached. Decide on `code`: those of the service are in docs/user/api.md, ours are
 * `unreachable` (no connection, or it broke), `timeout` and `unexpected-answer` (something else answered).
 */
export class ApiError extends DrawbridgeError {
  /** 0 when there was no answer. */
  readonly status: number
  readonly details: Readonly<Record<string, unknown>>
  /** When the service said to come back. */
  readonly retryAfterMs: number | null

  constructor(
    message: string,
    options: {
      code: string
      status: number
      details?: Readonly<Record<string, unknown>>
      retryAfterMs?: number | null
      cause?: unknown
    },
  ) {
    const { code, status } = options
    super(message, { code, retryable: isWorthRetrying(code, status), cause: options.cause })
    this.status = status
    this.details = options.details ?? {}
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

function isWorthRetrying(code: string, status: number): boolean {
  if (status === 0) return code === 'unreachable' || code === 'timeout'
  if (code === 'request-incomplete') return true
  return status === 429 || status === 502 || status === 503 || status === 504
}

export async function refusal(response: Response): Promise<ApiError> {
  const { status } = response
  const text = await response.text().catch(() => '')
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : null
  const error = errorIn(text)
  if (error === null)
    return new ApiError(`the answer is not Drawbridge's: status ${status}`, {
      code: 'unexpected-answer',
      status,
      retryAfterMs,
    })
  return new ApiError(error.message, { code: error.code, status, details: error.details ?? {}, retryAfterMs })
}

interface ErrorFields {
  readonly code: string
  readonly message: string
  readonly details?: Record<string, unknown>
}

function errorIn(text: string): ErrorFields | null {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<ErrorFields> }
    return typeof error?.code === 'string' && typeof error.message === 'string'
      ? (error as ErrorFields)
      : null
  } catch {
    return null
  }
}
