// Who answers what codex asks. A handler the caller gave, else the refusal of the request's family.
import { DrawbridgeError } from '../errors.ts'
import type { ServerMethod, ServerParams, ServerResult } from '../protocol/index.ts'
import type { ParentTurn } from '../sub-agents.ts'
import { Refusal, type RequestId, type WireRequest } from '../wire/index.ts'
import { isServerMethod, refuse } from './refusals.ts'

export interface RequestContext {
  /** Aborts when the question no longer stands: codex withdrew it, or the connection ended. */
  readonly signal: AbortSignal
  /** The turn on whose behalf it is asked, when a sub-agent asks. */
  readonly parent: ParentTurn | null
}

export type ServerRequestHandlers = {
  readonly [M in ServerMethod]?: (
    params: ServerParams<M>,
    context: RequestContext,
  ) => ServerResult<M> | Promise<ServerResult<M>>
}

/** A request that got a refusal because nobody handles it, or because its handler failed. */
export interface RefusedRequest {
  readonly type: 'request-refused'
  readonly method: string
  readonly params: unknown
  readonly error: unknown
}

interface OpenRequest {
  readonly controller: AbortController
  readonly turnId: string | null
}

export class ServerRequests {
  readonly #handlers: ServerRequestHandlers
  readonly #onRefused: (refused: RefusedRequest) => void
  readonly #parentOf: (threadId: string) => ParentTurn | null
  readonly #open = new Map<RequestId, OpenRequest>()

  constructor(
    handlers: ServerRequestHandlers,
    client: {
      onRefused: (refused: RefusedRequest) => void
      parentOf: (threadId: string) => ParentTurn | null
    },
  ) {
    this.#handlers = handlers
    this.#onRefused = client.onRefused
    this.#parentOf = client.parentOf
  }

  /** Whether a question of this turn, or of a sub-agent that works for it, waits for its answer. */
  isAsking(turnId: string): boolean {
    for (const open of this.#open.values()) if (open.turnId === turnId) return true
    return false
  }

  /** The answer to one request. A handler that fails means the refusal, never a hung turn. */
  async answer({ id, method, params }: WireRequest): Promise<unknown> {
    const handler = isServerMethod(method) ? this.#handlers[method] : undefined
    if (!handler) return this.#refuse(method, params, null)
    const { threadId, turnId } = (params ?? {}) as { threadId?: string; turnId?: string }
    const parent = threadId === undefined ? null : this.#parentOf(threadId)
    const controller = new AbortController()
    this.#open.set(id, { controller, turnId: parent?.turnId ?? turnId ?? null })
    try {
      await Promise.resolve() // off the reader
      // codex took it back before anybody was asked; it ignores this answer.
      if (controller.signal.aborted) return refuse(method, params)
      const handle = handler as (params: unknown, context: RequestContext) => unknown
      return await handle(params, { signal: controller.signal, parent })
    } catch (error) {
      if (error instanceof Refusal) throw error
      // Whoever gave up because the question no longer stands has not refused anything.
      if (controller.signal.aborted) return refuse(method, params)
      return this.#refuse(method, params, error)
    } finally {
      if (this.#open.get(id)?.controller === controller) this.#open.delete(id)
    }
  }

  /** codex no longer waits for this answer. */
  withdraw(id: RequestId): void {
    this.#open.get(id)?.controller.abort(WITHDRAWN)
    this.#open.delete(id)
  }

  withdrawAll(reason: Error): void {
    for (const { controller } of this.#open.values()) controller.abort(reason)
  }

  #refuse(method: string, params: unknown, error: unknown): unknown {
    this.#onRefused({ type: 'request-refused', method, params, error })
    return refuse(method, params)
  }
}

const WITHDRAWN = new DrawbridgeError('codex no longer waits for this answer', { code: 'request-withdrawn' })
