// Takes queued tasks that no worker has, in the order of the queue, as long as there is room here.
import {
  type ClaimableTask,
  type Claimant,
  claimableTasks,
  claimTasks,
  type Db,
  type EventLog,
  type StoredTask,
} from '../../store/index.ts'
import { isFolder } from './is-folder.ts'

export interface ClaimsParts {
  readonly log: EventLog
  readonly reader: Db
  readonly claimant: Claimant
  /** How many more turns could begin here now. */
  readonly room: () => number
  /** Whether nothing holds the account that it would use here, and it was not refused here. */
  readonly mayBegin: (task: ClaimableTask) => boolean
  readonly onClaimed: (tasks: readonly StoredTask[]) => void
  readonly onError: (error: unknown) => void
}

/** A folder that is not there is looked for again after so long. */
const FORGET_MS = 10_000
/** Looked at more than are claimed: some of them may want a folder that is not here. */
const SPARE = 20
/** A queue of tasks for folders that are not here must not hide the others. */
const MAX_MISSING = 1_000

export class Claims {
  readonly #parts: ClaimsParts
  /** Folders that are not here, and when that was seen. */
  readonly #missing = new Map<string, number>()
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

  /** Takes nothing for a while: what it took could not be started here. */
  pause(ms: number): void {
    this.#pausedUntil = performance.now() + ms
  }

  stop(): void {
    this.#isStopped = true
  }

  async #claim(): Promise<void> {
    const { log, reader, claimant, room, onClaimed } = this.#parts
    this.#mustLookAgain = false
    const count = room()
    if (count <= 0 || performance.now() < this.#pausedUntil) return
    this.#forgetMissing()
    const found = await claimableTasks(reader, claimant, {
      limit: count + SPARE,
      exceptFolders: [...this.#missing.keys()],
    })
    const ids: string[] = []
    const missing = this.#missing.size
    for (const task of found) {
      if (ids.length >= count) break
      if (this.#parts.mayBegin(task) && (await this.#isHere(task.cwd))) ids.push(task.id)
    }
    const claimed = ids.length > 0 ? await log.change(({ db }) => claimTasks(db, ids, claimant)) : []
    if (claimed.length > 0) onClaimed(claimed)
    // Behind those whose folder is not here there may be others.
    if (this.#missing.size > missing && claimed.length < count) this.#mustLookAgain = true
  }

  async #isHere(folder: string): Promise<boolean> {
    if (await isFolder(folder)) return true
    if (this.#missing.size < MAX_MISSING) this.#missing.set(folder, performance.now())
    return false
  }

  #forgetMissing(): void {
    for (const [folder, at] of this.#missing)
      if (performance.now() - at > FORGET_MS) this.#missing.delete(folder)
  }
}
