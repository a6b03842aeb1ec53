// Which tasks this worker owns: those it runs, for as long as it lives, and those it borrowed to act on them.
import { adoptTask, type EventLog, releaseTask } from '../../store/index.ts'
import type { Membership } from './membership.ts'

export interface OwnedParts {
  readonly log: EventLog
  readonly membership: Membership
  /** A task that was borrowed is free again. */
  readonly onReleased: () => void
  readonly onError: (error: unknown) => void
}

export class Owned {
  readonly #parts: OwnedParts
  readonly #own = new Set<string>()
  /** How many act on each at the moment. */
  readonly #borrowed = new Map<string, number>()

  constructor(parts: OwnedParts) {
    this.#parts = parts
  }

  /** Whether it is run here. */
  has(taskId: string): boolean {
    return this.#own.has(taskId)
  }

  /** Whether it may be acted on here. */
  holds(taskId: string): boolean {
    return this.#own.has(taskId) || this.#borrowed.has(taskId)
  }

  add(taskIds: Iterable<string>): void {
    for (const taskId of taskIds) this.#own.add(taskId)
  }

  /** The task is gone. */
  forget(taskId: string): void {
    this.#own.delete(taskId)
  }

  /**
   * Acts on a task that no worker owns; null when one does by now. A task whose thread is on this machine is kept, others
   * are given back.
   */
  async acting<T>(taskId: string, home: string | null, act: () => Promise<T>): Promise<{ value: T } | null> {
    if (!(await this.#take(taskId, home))) return null
    try {
      return { value: await act() }
    } finally {
      // What was done stands. A worker that cannot give back has been declared lost, and owns nothing any more.
      await this.#giveBack(taskId).catch(this.#parts.onError)
    }
  }

  async #take(taskId: string, home: string | null): Promise<boolean> {
    if (!this.holds(taskId)) {
      const { log, membership } = this.#parts
      const isAdopted = await log.change(({ db }) => adoptTask(db, taskId, membership.start))
      if (isAdopted && home === membership.start.id) this.#own.add(taskId)
      else if (isAdopted) this.#borrowed.set(taskId, 0)
      if (!this.holds(taskId)) return false
    }
    const count = this.#borrowed.get(taskId)
    if (count !== undefined) this.#borrowed.set(taskId, count + 1)
    return true
  }

  async #giveBack(taskId: string): Promise<void> {
    const { log, membership, onReleased } = this.#parts
    const count = this.#borrowed.get(taskId)
    if (count === undefined) return
    if (count > 1) return void this.#borrowed.set(taskId, count - 1)
    this.#borrowed.delete(taskId)
    await log.change(({ db }) => releaseTask(db, taskId, membership.start))
    onReleased()
  }
}
