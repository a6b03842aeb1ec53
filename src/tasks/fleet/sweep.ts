// What every worker does from time to time for all of them: says of those that are gone that they are, what becomes of
// their tasks, and why queued tasks have no worker.
import { type Change, forgetCommands, forgetHolds, loseWorkers, overdueApprovals } from '../../store/index.ts'
import type { FleetParts } from './fleet-parts.ts'
import { settleOrphans } from './orphans.ts'
import type { Owned } from './owned.ts'
import { explainUnplaced } from './placement.ts'

interface SweepParts {
  readonly owned: Owned
  readonly countWorkers: () => Promise<unknown>
  /** Tasks of this worker that another was acting on when it started. */
  readonly takeBackLate: () => Promise<void>
}

/** How often commands that are long over are forgotten, in sweeps. */
const FORGET_EVERY = 200
const COMMANDS_KEPT_MS = 10 * 60_000

export class Sweep {
  readonly #fleet: FleetParts
  readonly #parts: SweepParts
  #count = 0
  #isRunning = false

  constructor(fleet: FleetParts, parts: SweepParts) {
    this.#fleet = fleet
    this.#parts = parts
  }

  /** Never rejects. One at a time. */
  async run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    const { log, reader, hosts, membership, onError } = this.#fleet
    try {
      await this.#loseSilent()
      await this.#parts.countWorkers()
      await this.#parts.takeBackLate()
      await explainUnplaced({ log, reader, hosts, now: membership.now(), self: membership.start.id })
      await this.#expireOverdue()
    } catch (error) {
      onError(error)
    } finally {
      this.#isRunning = false
    }
  }

  async #loseSilent(): Promise<void> {
    const { log, membership, tell } = this.#fleet
    const lost = await log.change(async (change) => {
      // Looked at here: the database may have kept this change waiting.
      const lost = membership.isSteady ? await loseWorkers(change.db, { except: membership.start.id }) : []
      await settleOrphans(change, this.#fleet)
      if (++this.#count % FORGET_EVERY === 0) await forgetOld(change)
      return lost
    })
    for (const { name, machine } of lost)
      tell(`the worker ${name} (${machine}) has not been heard of: its tasks wait for it, or are lost`)
  }

  /** Deadlines of questions whose task no worker owns. */
  async #expireOverdue(): Promise<void> {
    const { reader, membership, expire, onError } = this.#fleet
    // One that cannot be expired, say because it has just been answered, must not keep the others waiting.
    for (const { id, task_id } of await overdueApprovals(reader, { now: membership.now() }))
      await this.#parts.owned.acting(task_id, null, () => expire(id)).catch(onError)
  }
}

async function forgetOld({ db, now }: Change): Promise<void> {
  await forgetCommands(db, { olderThanMs: COMMANDS_KEPT_MS })
  await forgetHolds(db, now)
}
