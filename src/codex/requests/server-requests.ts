// Who answers what codex asks: a handler the caller gave for that method, else whoever approves, else the refusal of
// the request's family. A question is put once, and whoever is asked learns when it no longer stands.
import { setTimeout as delay } from 'node:timers/promises'
import { DrawbridgeError } from '../errors.ts'
import type { CodexNotification, ServerMethod, ServerParams, ServerResult } from '../protocol/index.ts'
import type { ParentTurn } from '../sub-agents.ts'
import { Refusal, type RequestId, type WireRequest } from '../wire/index.ts'
import { type Decided, type Decision, decision, withoutSecrets } from './decision.ts'
import { type AnyFamily, familyOf, refuse } from './families.ts'
import type { Facts } from './family.ts'
import { OpenChanges } from './open-changes.ts'
import type { Answer, Question } from './question.ts'

export interface RequestContext {
  /** Aborts when the question no longer stands: withdrawn by codex, turn over, connection gone. */
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

/** Answers a question. What it throws, and silence past the deadline, mean no. */
export type Approver = (
  question: Question,
  context: { readonly signal: AbortSignal },
) => Answer | Decided | Promise<Answer | Decided>

/** A request that got a refusal because nobody handles it, or because its handler failed. */
export interface RefusedRequest {
  readonly type: 'request-refused'
  readonly method: string
  readonly params: unknown
  readonly error: unknown
}

export interface ServerRequestsOptions {
  readonly handlers: ServerRequestHandlers
  readonly onApproval: Approver | null
  /** How long an approver may take; null: as long as the question stands. */
  readonly approvalTimeoutMs: number | null
  readonly onDecision: (decision: Decision) => void
  readonly onRefused: (refused: RefusedRequest) => void
  /** What the client knows of a thread. */
  readonly about: (threadId: string | null) => {
    parent: ParentTurn | null
    cwd: string
    codexVersion: string | null
  }
}

interface OpenRequest {
  readonly controller: AbortController
  readonly threadId: string | null
  readonly turnId: string | null
  /** The turn of ours it counts for: its own, or the parent's. */
  readonly countsFor: string | null
}

export class ServerRequests {
  readonly #options: ServerRequestsOptions
  readonly #open = new Map<RequestId, OpenRequest>()
  readonly #changes = new OpenChanges()

  constructor(options: ServerRequestsOptions) {
    this.#options = options
  }

  /** Whether a question of this turn, or of a sub-agent that works for it, waits for its answer. */
  isAsking(turnId: string): boolean {
    for (const open of this.#open.values()) if (open.countsFor === turnId) return true
    return false
  }

  /** Called on the reader for every notification: file changes to show, and questions that no longer stand. */
  observe(notification: CodexNotification): void {
    if (notification.method === 'serverRequest/resolved') this.#withdraw(notification.params?.requestId)
    else if (notification.method === 'turn/completed') this.#endTurn(notification.params)
    else this.#changes.observe(notification)
  }

  withdrawAll(reason: Error): void {
    for (const { controller } of this.#open.values()) controller.abort(reason)
  }

  /** The answer to one request. A handler that fails means the refusal, never a hung turn. */
  async answer(request: WireRequest): Promise<unknown> {
    const { id, method, params } = request
    const { threadId = null, turnId = null } = (params ?? {}) as {
      threadId?: string | null
      turnId?: string | null
    }
    const known = this.#options.about(threadId)
    const facts: Facts = { requestId: id, ...known, changes: this.#changes.of(params) }
    const answerer = this.#answerer(request, facts)
    if (!answerer) return this.#refuse(request, facts, null)
    const controller = new AbortController()
    this.#open.set(id, { controller, threadId, turnId, countsFor: known.parent?.turnId ?? turnId })
    try {
      await Promise.resolve() // off the reader
      // codex took it back before anybody was asked; it ignores this answer.
      if (controller.signal.aborted) return refuse(method, params, facts)
      return await answerer(controller.signal)
    } catch (error) {
      if (error instanceof Refusal) throw error
      // Whoever is late, and still asks somebody, can stop.
      controller.abort(error)
      return this.#refuse(request, facts, error)
    } finally {
      if (this.#open.get(id)?.controller === controller) this.#open.delete(id)
    }
  }

  #answerer(
    { method, params }: WireRequest,
    facts: Facts,
  ): ((signal: AbortSignal) => Promise<unknown>) | null {
    const handler = familyOf(method) ? this.#options.handlers[method as ServerMethod] : undefined
    if (handler) {
      const handle = handler as (params: unknown, context: RequestContext) => unknown
      return async (signal) => handle(params, { signal, parent: facts.parent })
    }
    const family = familyOf(method)
    const { onApproval } = this.#options
    if (!family?.ask || !onApproval) return null
    return (signal) => this.#approve({ family, params, facts, onApproval, signal })
  }

  async #approve({ family, params, facts, onApproval, signal }: Approval): Promise<unknown> {
    const question = family.ask!(params as never, facts)
    const given = await this.#inTime(Promise.resolve(onApproval(question, { signal })), signal)
    const decided = decision(question, given)
    const { answer } = decided
    const reply =
      typeof answer === 'object' && 'result' in answer
        ? answer.result
        : family.reply!(answer as never, params as never, facts)
    this.#options.onDecision(withoutSecrets(decided))
    return reply
  }

  /** Rejects when the approver takes too long, or when there is nothing left to decide. */
  async #inTime<T>(given: Promise<T>, signal: AbortSignal): Promise<T> {
    given.catch(() => {})
    const withdrawn = new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    const { approvalTimeoutMs } = this.#options
    if (approvalTimeoutMs === null) return Promise.race([given, withdrawn])
    const timer = new AbortController()
    const late = delay(approvalTimeoutMs, undefined, { signal: timer.signal }).then(() => {
      throw new DrawbridgeError(`nobody answered within ${approvalTimeoutMs} ms`, {
        code: 'approval-timed-out',
      })
    })
    return Promise.race([given, withdrawn, late]).finally(() => timer.abort())
  }

  #withdraw(id: RequestId): void {
    this.#open.get(id)?.controller.abort(withdrawn('codex no longer waits for this answer'))
    this.#open.delete(id)
  }

  #endTurn(params: { threadId?: string; turn?: { id?: string } } | undefined): void {
    const ended = params?.turn?.id
    for (const { turnId, controller } of this.#open.values())
      if (turnId !== null && turnId === ended) controller.abort(withdrawn('its turn has ended'))
    this.#changes.forget(params?.threadId)
  }

  #refuse({ method, params }: WireRequest, facts: Facts, error: unknown): unknown {
    this.#options.onRefused({ type: 'request-refused', method, params, error })
    return refuse(method, params, facts)
  }
}

interface Approval {
  readonly family: AnyFamily
  readonly params: unknown
  readonly facts: Facts
  readonly onApproval: Approver
  readonly signal: AbortSignal
}

function withdrawn(why: string): DrawbridgeError {
  return new DrawbridgeError(why, { code: 'request-withdrawn' })
}
