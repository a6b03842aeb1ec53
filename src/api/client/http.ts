// One request and its answer. Knows the address and the token, nothing of tasks.
import { ApiError, refusal } from './api-error.ts'

export interface ConnectOptions {
  /** Where the service is: `http://127.0.0.1:4100`. */
  readonly url: string
  readonly token: string
  /** Who asks, for log and audit: `cli:alice`. */
  readonly actor?: string | undefined
  /** The name of a token whose limits hold for every call; needs the owner's token. */
  readonly as?: string | undefined
  /** In place of the global one, for another way there. */
  readonly fetch?: typeof fetch | undefined
  /** For each request but those that wait. Default 60 s. */
  readonly timeoutMs?: number | undefined
  /** Asked when the service could not be reached: where it is now, for whatever is tried next. null: nobody knows. */
  readonly locate?: (() => Place | null) | undefined
}

type Place = Pick<ConnectOptions, 'url' | 'token' | 'fetch'>

export interface RequestOptions {
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  /** In place of a body. */
  readonly form?: FormData | undefined
  /** Bytes in place of a body. */
  readonly stream?: AsyncIterable<Uint8Array> | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export class Http {
  #options: ConnectOptions

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
    const { body, form, stream, signal } = options
    const send = this.#options.fetch ?? fetch
    const response = await send(this.#address(path, options.query), {
      method,
      headers: this.#headers(options),
      redirect: 'error',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form && { body: form }),
      ...(stream && { body: ReadableStream.from(stream), duplex: 'half' }),
      ...(signal && { signal }),
    }).catch((cause: unknown) => this.#broken(method, path, { cause, signal }))
    if (!response.ok) throw await refusal(response)
    return response
  }

  /** It may have been started again somewhere else. */
  relocate(): void {
    this.#options = { ...this.#options, ...this.#options.locate?.() }
  }

  #address(path: string, query: RequestOptions['query'] = {}): URL {
    const address = new URL(`${this.#options.url.replace(/\/+$/, '')}${path}`)
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined || value === null) continue
      address.searchParams.set(name, Array.isArray(value) ? value.join(',') : String(value))
    }
    return address
  }

  #headers({ body, headers = {} }: RequestOptions): Record<string, string> {
    const { token, actor, as } = this.#options
    const all = {
      authorization: `Bearer ${token}`,
      'drawbridge-actor': actor && inHeader(actor),
      'drawbridge-as': as,
      'content-type': body === undefined ? undefined : 'application/json',
      ...headers,
    }
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    for (const [name, value] of given) refuseUnsendable(name, value)
    return Object.fromEntries(given)
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
    this.relocate()
    throw new ApiError(`Drawbridge cannot be reached at ${origin}: ${rootMessage(cause)}`, {
      code: 'unreachable',
      status: 0,
      cause,
    })
  }
}

/** A name may have any letters; a header may not. */
function inHeader(name: string): string {
  return name.replace(/[^\x20-\x7e]|%/gu, encodeURIComponent)
}

/** fetch would say that it failed, as if the service were gone. */
function refuseUnsendable(name: string, value: string): void {
  if (/^[\x20-\x7e]*$/.test(value)) return
  const shown = name === 'authorization' ? 'the token' : name
  throw new ApiError(`${shown} may have printable ASCII characters only`, { code: 'bad-request', status: 0 })
}

/** fetch says only "fetch failed"; the reason is below. */
function rootMessage(error: unknown): string {
  let root = error
  while (root instanceof Error && root.cause instanceof Error) root = root.cause
  const { code, message } = root as { code?: string; message?: string }
  return message || code || String(root)
}
