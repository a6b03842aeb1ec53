// Who answers what codex asks. A handler the caller gave, else the refusal of the request's family.
import type { ServerMethod, ServerParams, ServerResult } from '../protocol/index.ts'
import { Refusal, type WireRequest } from '../wire/index.ts'
import { isServerMethod, refuse } from './refusals.ts'

/** `signal` aborts when the question no longer stands: codex withdrew it, or the connection ended. */
export type ServerRequestHandlers = {
  readonly [M in ServerMethod]?: (
    params: ServerParams<M>,
    context: { readonly signal: AbortSignal },
  ) => ServerResult<M> | Promise<ServerResult<M>>
}

/** A request that got a refusal because nobody handles it, or because its handler failed. */
export interface RefusedRequest {
  readonly type: 'request-refused'
  readonly method: string
  readonly params: unknown
  readonly error: unknown
}

export class ServerRequests {
  readonly #handlers: ServerRequestHandlers
  readonly #onRefused: (refused: RefusedRequest) => void
  readonly #open = new Map<WireRequest['id'], AbortController>()

  constructor(handlers: ServerRequestHandlers, onRefused: (refused: RefusedRequest) => void) {
    this.#handlers = handlers
    this.#onRefused = onRefused
  }

  /** The answer to one request. A handler that fails means the refusal, never a hung turn. */
  async answer({ id, method, params }: WireRequest): Promise<unknown> {
    const handler = isServerMethod(method) ? this.#handlers[method] : undefined
    if (!handler) return this.#refuse(method, params, null)
    const controller = new AbortController()
    this.#open.set(id, controller)
    try {
      await Promise.resolve() // off the reader
      // codex took it back before anybody was asked; it ignores this answer.
      if (controller.signal.aborted) return refuse(method, params)
      const handle = handler as (params: unknown, context: { signal: AbortSignal }) => unknown
      return await handle(params, { signal: controller.signal })
    } catch (error) {
      if (error instanceof Refusal) throw error
      return this.#refuse(method, params, error)
    } finally {
      if (this.#open.get(id) === controller) this.#open.delete(id)
    }
  }

  /** codex no longer waits for this answer. */
  withdraw(id: WireRequest['id'], reason: Error): void {
    this.#open.get(id)?.abort(reason)
  }

  withdrawAll(reason: Error): void {
    for (const controller of this.#open.values()) controller.abort(reason)
  }

  #refuse(method: string, params: unknown, error: unknown): unknown {
    this.#onRefused({ type: 'request-refused', method, params, error })
    return refuse(method, params)
  }
}
