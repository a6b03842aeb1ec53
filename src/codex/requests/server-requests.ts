// Who answers what codex asks: a handler the caller gave for that method, else the rules or whoever approves, else the
// refusal of the request's family. A question is put once, and whoever is asked learns when it no longer stands.

import type { Escalation } from '../policy/index.ts'
import type { CodexNotification, ServerMethod, ServerParams, ServerResult } from '../protocol/index.ts'
import { isRefusal, type RequestId, type WireRequest } from '../wire/index.ts'
import type { Decider } from './decider.ts'
import { type AnyFamily, familyOf, refuse } from './families.ts'
import type { Facts } from './family.ts'
import { OpenItems } from './open-items.ts'
import type { Answer, ParentTurn, Question } from './question.ts'
import { answeredElsewhere, isNobody, type RequestIncident, withdrawn } from './request-incident.ts'

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

export interface ServerRequestsOptions {
  readonly handlers: ServerRequestHandlers
  /** Who answers calls of the tools that a thread was given. */
  readonly toolCallOf?: (threadId: string) => ServerRequestHandlers['item/tool/call']
  readonly decider: Pick<Decider, 'decide'>
  readonly onIncident: (incident: RequestIncident) => void
  /** What the client knows of a thread. */
  readonly about: (threadId: string | null) => {
    parent: ParentTurn | null
    cwd: string
    escalation: Escalation | null
    codexVersion: string | null
    host?: string | undefined
    /** Whether what is asked would be done on another machine than the thread's. */
    isMisplaced?: (params: unknown) => boolean
  }
  /** Resolves when a thread that is being opened is known; at once for all others. */
  readonly opened: (threadId: string | null) => Promise<unknown>
}

interface OpenRequest {
  readonly controller: AbortController
  readonly turnId: string | null
  /** The turn of ours it counts for: its own, or the parent's. */
  readonly countsFor: string | null
  /** Once there is one. */
  question: Question | null
}

export class ServerRequests {
  readonly #options: ServerRequestsOptions
  readonly #open = new Map<RequestId, OpenRequest>()
  readonly #items = new OpenItems()

  constructor(options: ServerRequestsOptions) {
    this.#options = options
  }

  /** Whether a question of this turn, or of a sub-agent that works for it, waits for its answer. */
  isAsking(turnId: string): boolean {
    for (const open of this.#open.values()) if (open.countsFor === turnId) return true
    return false
  }

  /** Called on the reader for every notification: what is asked about, and questions that no longer stand. */
  observe(notification: CodexNotification): void {
    if (notification.method === 'serverRequest/resolved') this.#resolve(notification.params?.requestId)
    else if (notification.method === 'turn/completed') this.#endTurn(notification.params)
    else this.#items.observe(notification)
  }

  withdrawAll(reason: Error): void {
    for (const { controller } of this.#open.values()) controller.abort(reason)
  }

  /** The answer to one request. A handler that fails means the refusal, never a hung turn. */
  async answer(request: WireRequest): Promise<unknown> {
    const { id, method, params } = request
    const { threadId, turnId, itemId } = idsOf(params)
    const changes = this.#items.changes({ threadId, itemId })
    const toolCalls = this.#items.toolCalls(threadId, id)
    const countsFor = this.#options.about(threadId).parent?.turnId ?? turnId
    const open: OpenRequest = { controller: new AbortController(), turnId, countsFor, question: null }
    this.#open.set(id, open)
    await this.#options.opened(threadId) // off the reader
    const { isMisplaced, ...about } = this.#options.about(threadId)
    const facts: Facts = { requestId: id, ...about, changes, toolCalls }
    try {
      if (isMisplaced?.(params) && familyOf(method)?.ask) return this.#refuseMisplaced(request, facts)
      // codex took it back before anybody was asked; it ignores this answer.
      if (open.controller.signal.aborted) return refuse(method, params, facts)
      return await this.#answerNow(request, facts, open)
    } catch (error) {
      if (isRefusal(error)) throw error
      this.#report(request, open, error)
      return refuse(method, params, facts)
    } finally {
      if (this.#open.get(id) === open) this.#open.delete(id)
    }
  }

  async #answerNow({ method, params }: WireRequest, facts: Facts, open: OpenRequest): Promise<unknown> {
    const { signal } = open.controller
    const family = familyOf(method)
    const handler = family ? this.#handlerOf(method as ServerMethod, params) : undefined
    if (handler) {
      const handle = handler as (params: unknown, context: RequestContext) => unknown
      return handle(params, { signal, parent: facts.parent })
    }
    if (!family?.ask) {
      this.#options.onIncident({ type: 'request-refused', method, params, error: null })
      return refuse(method, params, facts)
    }
    const question = family.ask(params as never, facts)
    open.question = question
    if (question.kind === 'mcp-tool' && question.itemId !== null)
      this.#items.markAsked(question.itemId, facts.requestId)
    const apply = (answer: Answer) => replyFor(answer, { family, params, facts })
    return this.#options.decider.decide(question, { signal, apply })
  }

  /** Nobody is asked: a person would take it for the machine that they know. */
  #refuseMisplaced({ method, params }: WireRequest, facts: Facts): unknown {
    const error = new Error(`it would be done on codex's own machine, not on ${facts.host}`)
    this.#options.onIncident({ type: 'request-refused', method, params, error })
    return refuse(method, params, facts)
  }

  #handlerOf(method: ServerMethod, params: unknown): ServerRequestHandlers[ServerMethod] {
    const { handlers, toolCallOf } = this.#options
    const own = method === 'item/tool/call' ? toolCallOf?.(idsOf(params).threadId ?? '') : undefined
    return own ?? handlers[method]
  }

  #report({ method, params }: WireRequest, { controller, question }: OpenRequest, error: unknown): void {
    const { onIncident } = this.#options
    if (controller.signal.aborted)
      return onIncident({
        type: 'question-withdrawn',
        method,
        params,
        question,
        reason: controller.signal.reason,
      })
    // Whoever is late, and still asks somebody, can stop.
    controller.abort(error)
    onIncident({ type: 'request-refused', method, params, error: isNobody(error) ? null : error })
  }

  /**
   * Codex says this of a question that was answered, by whichever client, and after the end of a turn of those it left
   * open (0.166). Of sub-agents that order is not known: theirs count as withdrawn.
   */
  #resolve(id: RequestId): void {
    const open = this.#open.get(id)
    const isOfSubAgent = open?.countsFor !== open?.turnId
    const isAnswered = open?.turnId != null && !isOfSubAgent
    const reason = isAnswered ? answeredElsewhere() : withdrawn('codex no longer waits for this answer')
    open?.controller.abort(reason)
    this.#open.delete(id)
  }

  #endTurn(params: { threadId?: string; turn?: { id?: string } } | undefined): void {
    const ended = params?.turn?.id
    for (const { turnId, controller } of this.#open.values())
      if (turnId !== null && turnId === ended) controller.abort(withdrawn('its turn has ended'))
    this.#items.forget(params?.threadId)
  }
}

function replyFor(
  answer: Answer,
  { family, params, facts }: { family: AnyFamily; params: unknown; facts: Facts },
): unknown {
  if (typeof answer === 'object' && 'result' in answer) return answer.result
  return family.reply!(answer, params as never, facts)
}

function idsOf(params: unknown): Record<'threadId' | 'turnId' | 'itemId', string | null> {
  const { threadId, turnId, itemId } = Object(params) as Record<string, string | null | undefined>
  return { threadId: threadId ?? null, turnId: turnId ?? null, itemId: itemId ?? null }
}
