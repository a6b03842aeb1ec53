// Who is next on this worker: its own tasks that wait for their turn, and queued ones that no worker has, in the order in
// which they were queued, as long as there is room here.
import {
  type ClaimableTask,
  type Claimant,
  claimableTasks,
  claimTasks,
  type Db,
  type EventLog,
  type StoredTask,
} from '../../store/index.ts'
import type { HostDirectory } from '../model/index.ts'
import type { Entering, Slot } from '../turns/index.ts'
import { lackOf, Missing } from './places.ts'

export interface ClaimsParts {
  readonly log: EventLog
  readonly reader: Db
  readonly hosts: HostDirectory
  readonly claimant: Claimant
  /** How many more turns could begin here now. */
  readonly room: () => number
  /** False: it is to take no new tasks. */
  readonly mayClaim: () => boolean
  /** Whether nothing holds the account that it would use here, and it was not refused here. */
  readonly mayBegin: (task: ClaimableTask) => boolean
  /** Whether no other worker runs now. */
  readonly isAlone: () => Promise<boolean>
  readonly onClaimed: (tasks: readonly StoredTask[]) => void
  readonly onError: (error: unknown) => void
}

interface Waiting {
  readonly queuedAt: number
  readonly admit: () => void
}

/** Looked at more than are claimed: some of them may want a folder that is not here. */
const SPARE = 20

export class Claims {
  readonly #parts: ClaimsParts
  readonly #missing = new Missing()
  readonly #waiting = new Set<Waiting>()
  /** Claimed, and not yet at the scheduler. */
  readonly #claimed = new Set<string>()
  #looking: Promise<void> | null = null
  #mustLookAgain = false
  #isStopped = false
  #pausedUntil = 0

  constructor(parts: ClaimsParts) {
    this.#parts = parts
  }

  /** There may be a task, or room for one. */
  look(): void {
    this.#mustLookAgain = true
    if (this.#isStopped || this.#looking) return
    this.#looking = this.#claim()
      .catch((error: unknown) => this.#parts.onError(error))
      .finally(() => {
        this.#looking = null
        if (this.#mustLookAgain) this.look()
      })
  }

  /** Goes when it is its turn; rejects with the signal's reason. */
  enter({ taskId, queuedAt, isHeld, signal, go }: Entering): Promise<Slot> {
    // It was its turn when it was claimed.
    if (this.#claimed.delete(taskId) || isHeld) return go()
    if (signal.aborted) return Promise.reject(signal.reason)
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const onAbort = () => {
      this.#waiting.delete(waiting)
      reject(signal.reason)
    }
    const waiting: Waiting = {
      queuedAt,
      admit: () => {
        signal.removeEventListener('abort', onAbort)
        this.#waiting.delete(waiting)
        resolve(go())
      },
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.add(waiting)
    this.look()
    return promise
  }

  /** Takes nothing for a while: what it took could not be started here. */
  pause(ms: number): void {
    this.#pausedUntil = performance.now() + ms
  }

  stop(): void {
    this.#isStopped = true
  }

  async #claim(): Promise<void> {
    const { log, claimant, room, onClaimed } = this.#parts
    this.#mustLookAgain = false
    const count = room()
    if (count <= 0) return
    const missing = this.#missing.size
    const ids = await this.#admit(await this.#claimable(count), count)
    if (ids.length > 0) {
      const claimed = await log.change(({ db }) => claimTasks(db, ids, claimant))
      for (const { id } of claimed) this.#claimed.add(id)
      onClaimed(claimed)
      if (claimed.length < ids.length) this.#mustLookAgain = true
    }
    // Behind those that this machine has no folder or codex for there may be others.
    if (this.#missing.size > missing && ids.length < count) this.#mustLookAgain = true
  }

  async #claimable(count: number): Promise<ClaimableTask[]> {
    const { reader, claimant, mayClaim } = this.#parts
    if (!mayClaim() || performance.now() < this.#pausedUntil) return []
    return claimableTasks(reader, claimant, { limit: count + SPARE, without: this.#missing.paths() })
  }

  /** Lets own tasks begin, and returns which to claim: together at most so many, the longest waiting first. */
  async #admit(found: readonly ClaimableTask[], count: number): Promise<string[]> {
    const own = [...this.#waiting].sort((one, other) => one.queuedAt - other.queuedAt)
    const ids: string[] = []
    let admitted = 0
    const isFull = () => ids.length + admitted >= count
    const admitBefore = (queuedAt: number) => {
      while (!isFull() && own[admitted] && own[admitted]!.queuedAt <= queuedAt) own[admitted++]!.admit()
    }
    for (const task of found) {
      admitBefore(task.queued_at ?? 0)
      if (isFull()) return ids
      if (this.#parts.mayBegin(task) && (await this.#canRun(task))) ids.push(task.id)
    }
    admitBefore(Number.POSITIVE_INFINITY)
    return ids
  }

  async #canRun(task: ClaimableTask): Promise<boolean> {
    const lack = await lackOf(task, this.#parts.hosts)
    if (lack === null) return true
    // Without another worker it is for codex to say what is wrong with its home.
    const isForCodex = lack.column === 'codex_home' || lack.column === 'codex_path'
    if (isForCodex && (await this.#parts.isAlone())) return true
    this.#missing.add(lack)
    return false
  }
}
