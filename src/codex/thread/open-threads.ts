// The threads open on one client, and the way of each notification to the turn it belongs to.
import type { TransportClosedError } from '../errors/index.ts'
import type { CodexNotification } from '../protocol/index.ts'
import type { ParentTurn } from '../requests/index.ts'
import { SubAgents } from './sub-agents.ts'
import type { Thread } from './thread.ts'
import type { ThreadListener } from './thread-listener.ts'
import type { LossCause } from './turn-outcome.ts'

export class OpenThreads {
  readonly #threads = new Map<string, Thread>()
  readonly #subAgents = new SubAgents()
  readonly #onFailed: (method: string, error: unknown) => void

  /** `onFailed` hears of listeners that throw. */
  constructor(onFailed: (method: string, error: unknown) => void) {
    this.#onFailed = onFailed
  }

  get count(): number {
    return this.#threads.size
  }

  get(threadId: string): Thread | undefined {
    return this.#threads.get(threadId)
  }

  /** What came in one piece with the reply that opened it has been kept. */
  add(thread: Thread): void {
    this.#threads.set(thread.id, thread)
    for (const kept of this.#subAgents.take(thread.id)) this.route(kept)
  }

  /** A thread that is about to be opened: all that comes for it is kept. */
  expect(threadId: string): void {
    this.#subAgents.expect(threadId)
  }

  /** It could not be opened. */
  expectNoMore(threadId: string): void {
    this.#subAgents.take(threadId)
  }

  /** Who hears of this thread, or of the one it works for. */
  listenerOf(threadId: string): ThreadListener | null {
    const own = this.#threads.get(threadId) ?? this.#threads.get(this.parentOf(threadId)?.threadId ?? '')
    return own?.listener ?? null
  }

  /** The turn of ours on whose behalf a thread works; null for our own threads and for unknown ones. */
  parentOf(threadId: string): ParentTurn | null {
    return this.#subAgents.parentOf(threadId)
  }

  route(notification: CodexNotification): void {
    const threadId = threadIdOf(notification)
    if (threadId === undefined) return
    const thread = this.#threads.get(threadId)
    if (thread) this.#give(thread, notification)
    else this.#routeToParent(threadId, notification)
    for (const kept of this.#subAgents.claim(notification, (id) => this.#threads.has(id))) this.route(kept)
    if (notification.method === 'thread/closed') {
      thread?.tools?.closed?.()
      this.release(threadId)
      this.#subAgents.forget(threadId)
    }
  }

  /** codex no longer tells us about this thread. One in mid-turn stays until that has settled. */
  release(threadId: string): void {
    if (!this.#threads.get(threadId)?.isBusy) this.#threads.delete(threadId)
  }

  lose(reason: TransportClosedError, cause: LossCause): void {
    for (const thread of this.#threads.values()) thread.lose(reason, cause)
    this.#threads.clear()
  }

  #routeToParent(threadId: string, notification: CodexNotification): void {
    const parent = this.#subAgents.parentOf(threadId)
    if (!parent) return this.#subAgents.keep(threadId, notification)
    const thread = this.#threads.get(parent.threadId)
    // A parent that is being resumed gets it when it is open.
    if (!thread) return this.#subAgents.keepIfExpected(parent.threadId, notification)
    try {
      thread.receiveFromSubAgent(parent.turnId, notification)
    } finally {
      this.#tell(thread, notification)
    }
  }

  #give(thread: Thread, notification: CodexNotification): void {
    try {
      thread.receive(notification)
    } finally {
      this.#tell(thread, notification)
    }
  }

  #tell({ listener }: Thread, notification: CodexNotification): void {
    try {
      listener?.notification?.(notification)
    } catch (error) {
      this.#onFailed(notification.method, error)
    }
  }
}

function threadIdOf({ params }: { readonly params: unknown }): string | undefined {
  return ((params ?? {}) as { threadId?: string }).threadId
}
