// One request and its answer. Knows the address and the token, nothing of tasks.
import { ApiError, refusal } from './api-error.ts'

export interface ConnectOptions {
  /** Where the service is: `http://127.0.0.1:4100`. */
  readonly url: string
  readonly token: string
  /** Who asks, for log and audit: `cli:alice`. */
  readonly actor?: string | undefined
  /** In place of the global one, for another way there. */
  readonly fetch?: typeof fetch | undefined
  /** For each request but those that wait. Default 60 s. */
  readonly timeoutMs?: number | undefined
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export class Http {
  readonly #options: ConnectOptions

  constructor(options: ConnectOptions) {
    this.#options = options
  }

  async json<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
    const text = await this.text(method, path, options)
    if (text === '') return undefined as T
    try {
      return JSON.parse(text) as T
    } catch (cause) {
      throw new ApiError(`${method} ${path} was not answered with JSON`, {
        code: 'unexpected-answer',
        status: 200,
        cause,
      })
    }
  }

  async text(method: Method, path: string, options: RequestOptions = {}): Promise<string> {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? this.#options.timeoutMs ?? 60_000)
    const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
    const response = await this.open(method, path, { ...options, signal })
    return response
      .text()
      .catch((cause: unknown) => this.#broken(method, path, { cause, timeout, ...options }))
  }

  /** The answer with its body unread; a refusal is thrown. */
  async open(method: Method, path: string, options: RequestOptions): Promise<Response> {
    const { body, signal } = options
    const send = this.#options.fetch ?? fetch
    const response = await send(this.#address(path, options.query), {
      method,
      headers: this.#headers(options),
      redirect: 'error',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }).catch((cause: unknown) => this.#broken(method, path, { cause, signal }))
    if (!response.ok) throw await refusal(response)
    return response
  }

  #address(path: string, query: RequestOptions['query'] = {}): URL {
    const address = new URL(path, this.#options.url)
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined || value === null) continue
      address.searchParams.set(name, Array.isArray(value) ? value.join(',') : String(value))
    }
    return address
  }

  #headers({ body, headers = {} }: RequestOptions): Record<string, string> {
    const { token, actor } = this.#options
    const all = {
      authorization: `Bearer ${token}`,
      'drawbridge-actor': actor,
      'content-type': body === undefined ? undefined : 'application/json',
      ...headers,
    }
    return Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
  }

  /** Whoever gave a signal gets its reason; everyone else an ApiError. */
  #broken(
    method: Method,
    path: string,
    { cause, timeout, signal }: { cause: unknown; timeout?: AbortSignal; signal?: AbortSignal | undefined },
  ): never {
    const isTimeout = timeout?.aborted || (cause as Error | undefined)?.name === 'TimeoutError'
    if (isTimeout)
      throw new ApiError(`${method} ${path} was not answered in time`, { code: 'timeout', status: 0, cause })
    if (signal?.aborted) throw signal.reason
    const { origin } = new URL(this.#options.url)
    throw new ApiError(`Drawbridge cannot be reached at ${origin}: ${rootMessage(cause)}`, {
      code: 'unreachable',
      status: 0,
      cause,
    })
  }
}

/** fetch says only "fetch failed"; the reason is below. */
function rootMessage(error: unknown): string {
  let root = error
  while (root instanceof Error && root.cause instanceof Error) root = root.cause
  const { code, message } = root as { code?: string; message?: string }
  return message || code || String(root)
}
