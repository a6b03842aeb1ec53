// Which task a thread's notifications belong to. What comes for a thread that is not known yet is kept for a while: its
// task, or its parent, may be about to be.

/** Threads of other programs on the same app-server are never claimed: of unknown ones only the newest are kept. */
const MAX_UNKNOWN_THREADS = 64
const MAX_KEPT_EACH = 512

export class ThreadMap<T> {
  readonly #tasks = new Map<string, string>()
  readonly #unknown = new Map<string, T[]>()

  taskOf(threadId: string): string | undefined {
    return this.#tasks.get(threadId)
  }

  get hasUnknown(): boolean {
    return this.#unknown.size > 0
  }

  unknownThreads(): Iterable<string> {
    return this.#unknown.keys()
  }

  /** Returns what has been kept for it, in order. */
  place(threadId: string, taskId: string): readonly T[] {
    this.#tasks.set(threadId, taskId)
    const kept = this.#unknown.get(threadId) ?? []
    this.#unknown.delete(threadId)
    return kept
  }

  keep(threadId: string, received: T): void {
    const kept = this.#unknown.get(threadId) ?? []
    if (kept.length < MAX_KEPT_EACH) kept.push(received)
    this.#unknown.set(threadId, kept)
    if (this.#unknown.size > MAX_UNKNOWN_THREADS) this.#unknown.delete(this.#unknown.keys().next().value!)
  }

  forgetTask(taskId: string): void {
    for (const [threadId, owner] of this.#tasks) if (owner === taskId) this.#tasks.delete(threadId)
  }
}
