// Threads that codex started by itself, on behalf of a turn of ours. Their notifications and requests come under
// thread ids we never opened; the parent's own items say whose they are, sometimes a little later.
import type { CodexNotification } from './protocol/index.ts'

/** The turn on whose behalf a sub-agent works. */
export interface ParentTurn {
  readonly threadId: string
  readonly turnId: string
}

const MAX_STRAYS = 256

export class SubAgents {
  readonly #parents = new Map<string, ParentTurn>()
  /** What arrived for threads nobody has claimed yet, oldest first. */
  readonly #strays = new Map<string, CodexNotification[]>()
  #strayCount = 0

  parentOf(threadId: string): ParentTurn | null {
    return this.#parents.get(threadId) ?? null
  }

  /** Keeps a notification of an unknown thread until its parent is known. */
  keep(threadId: string, notification: CodexNotification): void {
    if (this.#strayCount >= MAX_STRAYS) return
    this.#strayCount++
    const kept = this.#strays.get(threadId)
    if (kept) kept.push(notification)
    else this.#strays.set(threadId, [notification])
  }

  /** Reads who works for whom from an item. Returns what had been kept for threads that this one claims. */
  claim(notification: CodexNotification): CodexNotification[] {
    if (notification.method !== 'item/completed' && notification.method !== 'item/started') return []
    const { item, threadId, turnId } = notification.params
    // Of a sub-agent's sub-agent the turn that counts is still ours.
    const parent = this.#parents.get(threadId) ?? { threadId, turnId }
    return workers(item).flatMap((worker) => this.#adopt(worker, parent))
  }

  #adopt(worker: string, parent: ParentTurn): CodexNotification[] {
    // A sub-agent that is asked again by a later turn works for that one from then on.
    this.#parents.set(worker, parent)
    const kept = this.#strays.get(worker) ?? []
    this.#strays.delete(worker)
    this.#strayCount -= kept.length
    return kept
  }
}

function workers(item: unknown): string[] {
  const { type, receiverThreadIds, agentThreadId } = Object(item) as Record<string, unknown>
  if (type === 'collabAgentToolCall' && Array.isArray(receiverThreadIds)) return receiverThreadIds
  return type === 'subAgentActivity' && typeof agentThreadId === 'string' ? [agentThreadId] : []
}
