// Tasks whose turn is being found again. What is wanted of one of them waits for that one alone.
import { setTimeout as delay } from 'node:timers/promises'
import { TaskError } from '../model/index.ts'

/** Less than a caller at another worker waits for its answer, so that it learns that nothing was done. */
const PATIENCE_MS = 20_000

export class Recovering {
  readonly #tasks = new Map<
    string,
    { readonly over: PromiseWithResolvers<void>; readonly wantsPlace: boolean }
  >()
  readonly #patienceMs: number

  constructor({ patienceMs = PATIENCE_MS }: { patienceMs?: number } = {}) {
    this.#patienceMs = patienceMs
  }

  /** These are looked for from here on, each until its `end`. Those that have ended want no place. */
  begin(taskIds: Iterable<string>, { wantsPlace = true }: { wantsPlace?: boolean } = {}): void {
    for (const taskId of taskIds)
      if (!this.#tasks.has(taskId)) this.#tasks.set(taskId, { over: Promise.withResolvers(), wantsPlace })
  }

  /** It is known how this one goes on. */
  end(taskId: string): void {
    this.#tasks.get(taskId)?.over.resolve()
    this.#tasks.delete(taskId)
  }

  /** How many of those that want a place fit. */
  count(fits: (taskId: string) => boolean): number {
    return [...this.#tasks].filter(([taskId, { wantsPlace }]) => wantsPlace && fits(taskId)).length
  }

  /** Resolves when the task can be acted on: at once for all others. Rejects when that takes too long. */
  async over(taskId: string): Promise<void> {
    const task = this.#tasks.get(taskId)
    if (!task) return
    const late = new AbortController()
    const tooLate = delay(this.#patienceMs, true, { signal: late.signal }).catch(() => false)
    const isLate = await Promise.race([task.over.promise.then(() => false), tooLate])
    late.abort()
    if (isLate) throw stillLooking(taskId)
  }
}

function stillLooking(taskId: string): TaskError {
  const message =
    'the turn of the task is still being looked for, because its codex does not answer. Nothing was done: try again'
  return new TaskError('unavailable', message, { details: { taskId, isDone: false } })
}
