// One request to the service. The cookie of the login link goes with it; a script cannot read that.
import type { ErrorBody } from './contract.ts'

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  /** 0: nobody answered. */
  readonly status: number
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, { code, message, details = {} }: ErrorBody['error']) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** The service is there and cannot get at its database: worth asking again. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 503) return false
  return error.code === 'unavailable' || error.code.startsWith('database-')
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  /** In place of a body. */
  readonly form?: FormData
  /** Makes it safe to send the same thing again. */
  readonly key?: string
  readonly signal?: AbortSignal | undefined
}

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const response = await reach(method, path + queryText(options.query), options)
  if (response.status === 204) return undefined as T
  if (!response.ok) return refuse(response)
  return (await response.json().catch(() => null)) as T
}

/** The bytes of an answer, of which there may be fewer than were asked for. */
export async function bytesOf(
  path: string,
  { query, most, signal }: Pick<CallOptions, 'query' | 'signal'> & { readonly most: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await reach('GET', path + queryText(query), { signal, range: `bytes=0-${most - 1}` })
  // An empty file has no first byte.
  if (response.status === 416) return new Uint8Array()
  if (!response.ok) return refuse(response)
  return new Uint8Array(await response.arrayBuffer())
}

async function refuse(response: Response): Promise<never> {
  const error = ((await response.json().catch(() => null)) as ErrorBody | null)?.error
  throw new ApiError(
    response.status,
    error ?? { code: 'unexpected-answer', message: `HTTP ${response.status}` },
  )
}

async function reach(
  method: string,
  path: string,
  { body, form, key, range, signal }: CallOptions & { readonly range?: string },
): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (range !== undefined) headers.range = range
  if (key !== undefined) headers['idempotency-key'] = key
  try {
    return await fetch(path, {
      method,
      headers,
      body: form ?? (body === undefined ? undefined : JSON.stringify(body)),
      signal: signal ?? null,
      credentials: 'same-origin',
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0, { code: 'unreachable', message: 'The service cannot be reached.' })
  }
}

export function queryText(query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
