// The gate of one client: everything codex asks on it, and who answers. Rules are those of the thread that asks, or
// that the asking sub-agent works for.

import type { CodexNotification } from './protocol/index.ts'
import {
  type Approver,
  AsyncQuestions,
  Decider,
  type Decision,
  judge,
  type Question,
  type RequestIncident,
  rulesFirst,
  rulesOf,
  type ServerRequestHandlers,
  ServerRequests,
  withdrawn,
} from './requests/index.ts'
import { KnownPaths, lookUpPaths, type Decision as RuleDecision } from './rules/index.ts'
import { isMisplaced, type OpenThreads, type Thread } from './thread/index.ts'
import type { WireRequest } from './wire/index.ts'

export interface GateOptions {
  readonly handlers: ServerRequestHandlers
  readonly onApproval: Approver | null
  readonly approvalTimeoutMs: number | null
  readonly onDecision: (decision: Decision) => void
  readonly onIncident: (incident: RequestIncident) => void
  readonly threads: OpenThreads
  readonly codexVersion: () => string | null
  /** Where codex runs, when that is another machine. */
  readonly machine: string | undefined
  readonly opened: (threadId: string | null) => Promise<unknown>
}

export class Gate {
  readonly #options: GateOptions
  readonly #requests: ServerRequests
  readonly #asyncQuestions: AsyncQuestions

  constructor(options: GateOptions) {
    const { handlers, onApproval, approvalTimeoutMs, onDecision, onIncident, threads, opened } = options
    this.#options = options
    const ruled = rulesFirst((question, signal) => this.#ruling(question, signal), onApproval)
    const decider = new Decider({
      approverOf: ({ threadId }) => this.#threadOf(threadId)?.listener?.question ?? ruled,
      approvalTimeoutMs,
      onDecision,
      onUnheard: onIncident,
    })
    this.#requests = new ServerRequests({
      handlers,
      toolCallOf: (threadId) => this.#threadOf(threadId)?.tools?.call,
      decider,
      onIncident,
      opened,
      about: (threadId) => ({
        parent: threadId === null ? null : threads.parentOf(threadId),
        cwd: this.#threadOf(threadId)?.settings.cwd ?? '',
        escalation: this.#threadOf(threadId)?.escalation ?? null,
        codexVersion: options.codexVersion(),
        host: this.#threadOf(threadId)?.environment?.name ?? options.machine,
        isMisplaced: (params) => isMisplaced(this.#threadOf(threadId)?.environment ?? null, params),
      }),
    })
    this.#asyncQuestions = new AsyncQuestions({
      decider,
      onIncident,
      threadOf: (threadId) => threads.get(threadId) ?? null,
    })
  }

  answer(request: WireRequest): Promise<unknown> {
    return this.#requests.answer(request)
  }

  isAsking(turnId: string): boolean {
    return this.#requests.isAsking(turnId)
  }

  /** Called on the reader for every notification. */
  observe(notification: CodexNotification): void {
    this.#requests.observe(notification)
    this.#asyncQuestions.observe(notification)
  }

  /** We no longer follow this thread. */
  leaveThread(threadId: string): void {
    this.#asyncQuestions.withdraw(threadId, withdrawn('its thread was left'))
  }

  close(reason: Error): void {
    this.#requests.withdrawAll(reason)
    this.#asyncQuestions.withdrawAll(reason)
  }

  #ruling(question: Question, signal: AbortSignal): Promise<RuleDecision> | null {
    const thread = this.#threadOf(question.threadId)
    return thread?.approvals ? this.#judged(question, thread, signal) : null
  }

  /** The rules are those in force when all paths are known. */
  async #judged(question: Question, thread: Thread, signal: AbortSignal): Promise<RuleDecision> {
    const ruling = (paths: KnownPaths) => {
      const { approvals, workspaceRoots } = thread
      const rules = approvals ? rulesOf(approvals) : []
      return judge(question, { rules, workspaceRoots, labels: approvals?.labels, now: Date.now(), paths })
    }
    // Asked on another machine than the thread's: its paths are not known.
    if (isElsewhere(question, thread)) return ruling(new KnownPaths())
    return ruling(await lookUpPaths(ruling, thread.paths.realPath, { signal }))
  }

  /** A thread of ours: the one named, or the one it works for. */
  #threadOf(threadId: string | null): Thread | undefined {
    const { threads } = this.#options
    return threadId === null ? undefined : threads.get(threads.parentOf(threadId)?.threadId ?? threadId)
  }
}

/** codex works on its own machine in a turn that another client began after a cold resume. */
function isElsewhere({ params }: Question, { environment }: Thread): boolean {
  const { environmentId } = Object(params) as { environmentId?: unknown }
  return environment !== null && typeof environmentId === 'string' && environmentId !== environment.id
}
