// Threads that codex started by itself, on behalf of a turn of ours. Their notifications and requests come under
// thread ids we never opened; the parent's own items say whose they are, sometimes a little later.
import type { CodexNotification } from '../protocol/index.ts'
import type { ParentTurn } from '../requests/index.ts'

const MAX_STRAYS = 256

export class SubAgents {
  readonly #parents = new Map<string, ParentTurn>()
  /** What arrived for threads that are being opened. */
  readonly #expected = new Map<string, CodexNotification[]>()
  /** What arrived for threads nobody has claimed yet, oldest first. */
  #strays: { readonly threadId: string; readonly notification: CodexNotification }[] = []

  parentOf(threadId: string): ParentTurn | null {
    return this.#parents.get(threadId) ?? null
  }

  /** From now on all that comes for this thread is kept, until it is taken. */
  expect(threadId: string): void {
    if (!this.#expected.has(threadId)) this.#expected.set(threadId, this.take(threadId))
  }

  keepIfExpected(threadId: string, notification: CodexNotification): void {
    this.#expected.get(threadId)?.push(notification)
  }

  /** Keeps a notification of an unknown thread until its parent is known, or it is opened. */
  keep(threadId: string, notification: CodexNotification): void {
    const expected = this.#expected.get(threadId)
    if (expected) return void expected.push(notification)
    // These go to every client, whoever's thread it is.
    if (notification.method === 'thread/status/changed' || notification.method === 'thread/closed') return
    if (this.#strays.push({ threadId, notification }) > MAX_STRAYS) this.#strays.shift()
  }

  /** What was kept for a thread; it is kept no longer. */
  take(threadId: string): CodexNotification[] {
    const expected = this.#expected.get(threadId)
    if (expected) {
      this.#expected.delete(threadId)
      return expected
    }
    const taken = this.#strays.filter((stray) => stray.threadId === threadId)
    if (taken.length > 0) this.#strays = this.#strays.filter((stray) => stray.threadId !== threadId)
    return taken.map(({ notification }) => notification)
  }

  forget(threadId: string): void {
    this.#parents.delete(threadId)
  }

  /**
   * Reads who works for whom from an item. Returns what had been kept for threads that this one claims. A thread of our
   * own is nobody's sub-agent, though a sub-agent may name it.
   */
  claim(notification: CodexNotification, isOurs: (threadId: string) => boolean): CodexNotification[] {
    if (notification.method !== 'item/completed' && notification.method !== 'item/started') return []
    const { item, threadId, turnId } = notification.params
    // Of a sub-agent's sub-agent the turn that counts is still ours.
    const parent = this.#parents.get(threadId) ?? { threadId, turnId }
    const claimed = workers(item).filter((worker) => !isOurs(worker))
    return claimed.flatMap((worker) => this.#adopt(worker, parent))
  }

  #adopt(worker: string, parent: ParentTurn): CodexNotification[] {
    // A sub-agent that is asked again by a later turn works for that one from then on.
    this.#parents.set(worker, parent)
    return this.take(worker)
  }
}

function workers(item: unknown): string[] {
  const { type, receiverThreadIds, agentThreadId } = Object(item) as Record<string, unknown>
  if (type === 'collabAgentToolCall' && Array.isArray(receiverThreadIds)) return receiverThreadIds
  return type === 'subAgentActivity' && typeof agentThreadId === 'string' ? [agentThreadId] : []
}
