// Several workers on one store, seen from one of them: what it owns, what it takes, what it asks of the others and does
// for them, and what it says of those that are gone.
import {
  type Bus,
  type Change,
  type ClaimableTask,
  hasEnded,
  holderOf,
  isRunning,
  listWorkers,
  messageRows,
  type StoredMessage,
  type StoredTask,
  type TaskStatus,
  takeBackLate,
  takeBackTasks,
  taskRow,
} from '../../store/index.ts'
import { accountOf } from '../link/index.ts'
import { type Entering, type Hold, type Slot, takeBackIn } from '../turns/index.ts'
import { Claims } from './claims.ts'
import { type Command, type Outcome, unreachable } from './command.ts'
import { Commands } from './commands.ts'
import type { FleetParts } from './fleet-parts.ts'
import { giveBack, isOfMachine, refusedBy } from './give-back.ts'
import { endOrphan, takeUpOrphan } from './orphans.ts'
import { Owned } from './owned.ts'
import { SharedHolds } from './shared-holds.ts'
import { Sweep } from './sweep.ts'

/** A machine that could not start a task takes no other for so long. */
const UNFIT_MS = 60_000
/** How often a command follows a task from owner to owner. */
const MAX_MOVES = 10

export class Fleet {
  readonly owned: Owned
  readonly #parts: FleetParts
  readonly #claims: Claims
  readonly #commands: Commands
  readonly #holds: SharedHolds
  readonly #sweep: Sweep
  #timers: NodeJS.Timeout[] = []
  #unlisten: (() => void) | null = null
  #isStopped = false
  /** As far as it is known: others may have come since. */
  #isAlone = false

  constructor(parts: FleetParts) {
    const { log, reader, hosts, membership, options, onError } = parts
    this.#parts = parts
    this.owned = new Owned({ log, membership, onError, onReleased: () => this.queued() })
    this.#claims = new Claims({
      ...{ log, reader, hosts, onError, room: parts.room, mayClaim: parts.mayClaim },
      mayBegin: (task) => this.#mayBegin(task),
      isAlone: () => this.#countWorkers(),
      claimant: { ...membership.start, name: options.name, labels: options.labels },
      onClaimed: (tasks) => this.#run(tasks),
    })
    this.#commands = new Commands({
      ...{ log, reader, membership, onError, bus: options.exchange.bus },
      act: (command) => this.#carryOut(command),
    })
    this.#holds = new SharedHolds({
      ...{ log, reader, links: parts.links, scheduler: parts.scheduler, now: membership.now },
    })
    this.#sweep = new Sweep(parts, {
      owned: this.owned,
      countWorkers: () => this.#countWorkers(),
      takeBackLate: () => this.#takeBackLate(),
    })
  }

  /** One whose account is held here is left to another worker. Where there is none it waits here, and says so. */
  #mayBegin(task: ClaimableTask): boolean {
    const { scheduler, options } = this.#parts
    if (refusedBy(task).includes(options.id)) return false
    return this.#isAlone || scheduler.holdOf(accountOf(task)) === null
  }

  /** Whether no other worker runs. */
  async #countWorkers(): Promise<boolean> {
    const workers = await listWorkers(this.#parts.reader)
    this.#isAlone = workers.filter(isRunning).length <= 1
    return this.#isAlone
  }

  /** The limit of an account was hit here, or is no longer to be waited for. */
  noteLimit(account: string, hold: Hold | null): void {
    const noted = hold ? this.#holds.note(account, hold) : this.#holds.lift(account)
    void noted.catch(this.#parts.onError)
  }

  /** A task of this worker waits for its turn among all that are queued. */
  enter(entering: Entering): Promise<Slot> {
    return this.#claims.enter(entering)
  }

  /** Never rejects: without the database the limits that are known must do. */
  lookForLimits(): Promise<void> {
    return this.#holds.look().catch(this.#parts.onError)
  }

  get #bus(): Bus {
    return this.#parts.options.exchange.bus
  }

  /** Takes back what an earlier start of this worker had. Returns those whose turn was given up and may still run. */
  async takeBack(): Promise<readonly StoredTask[]> {
    const { log, membership } = this.#parts
    const rows = await log.change(async (change) => {
      const taken = await takeBackTasks(change.db, membership.start)
      for (const { id } of taken) await takeUpOrphan(change, id)
      return taken
    })
    this.#own(rows)
    await this.#countWorkers()
    return rows.filter(({ orphan_turn }) => orphan_turn !== null)
  }

  /** From here on it takes tasks and commands. */
  begin(): void {
    if (this.#isStopped) return
    const { pollMs, leaseMs } = this.#parts.options
    this.#unlisten = this.#bus.listen({
      news: (news) => {
        if (news.kind === 'queue') this.#claims.look()
        else if (news.kind === 'result') this.#commands.hear(news.commandId)
        else if (news.kind === 'command' && news.workerId === this.#parts.options.id) this.#commands.look()
      },
      gap: () => this.#look(),
    })
    this.#timers = [
      setInterval(() => this.#look(), pollMs),
      // Not all workers at once.
      setInterval(() => void this.#sweep.run(), Math.min(leaseMs / 3, 5_000) * (0.75 + Math.random() / 2)),
    ]
    this.#look()
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#unlisten?.()
    this.#claims.stop()
    this.#commands.stop()
  }

  /** A task waits for a worker: this one, or another. */
  queued(): void {
    this.#claims.look()
    this.#bus.tell({ kind: 'queue' })
  }

  /** There is room for another turn. */
  hasRoom(): void {
    this.#claims.look()
  }

  /** Does something with a task where it is owned. `local` does it here. */
  async at<T>(command: Command, local: () => Promise<T>): Promise<T> {
    const { taskId } = command
    for (let moves = 0; ; moves++) {
      if (this.owned.has(taskId)) return local()
      const holder = await holderOf(this.#parts.reader, taskId)
      // It is for `local` to say that there is no such task.
      if (!holder) return local()
      const { id, boot } = this.#parts.membership.start
      // It may be at work here, without anybody who watches it.
      if (holder.worker === null && holder.home === id) await this.#takeBackLate({ taskId })
      if (this.owned.has(taskId)) return local()
      const isHere = holder.worker === null || holder.worker.boot === boot
      const done = isHere
        ? await this.owned.acting(taskId, holder.home, local)
        : await this.#commands.ask(holder.worker!, command)
      if (done) return done.value as T
      const name = holder.worker?.name ?? holder.home ?? id
      if (moves >= MAX_MOVES) throw unreachable({ name }, { isDone: false, taskId })
    }
  }

  /** Makes a task that lives on this machine this worker's own; false when another worker has it. */
  async adopt(taskId: string, home: string | null): Promise<boolean> {
    if (home === this.#parts.options.id && !this.owned.has(taskId))
      await this.owned.acting(taskId, home, async () => {})
    return this.owned.has(taskId)
  }

  /** Gives up the turn of a task that no worker runs: it ends now, and where it may still run when that worker is back. */
  giveUp(taskId: string, actor: string): Promise<boolean> {
    return this.#parts.log.change(async (change) => {
      const row = await taskRow(change.db, taskId)
      if (!row || hasEnded(row.status as TaskStatus)) return false
      if (row.turn_id === null && (await this.#takeBackUnsent(change, taskId))) return true
      const turnId = row.turn_id ?? ''
      const evidence = { turnId, by: 'user' }
      const settled = { turnId, status: 'interrupted' as const, text: null, failure: null, evidence }
      await endOrphan(change, row, { settled, by: actor, parts: this.#parts })
      return true
    })
  }

  /** Leaves a task to another worker that this machine cannot start. False: it has failed. */
  async giveBack(next: { row: StoredTask; message: StoredMessage }, error: unknown): Promise<boolean> {
    if (!isOfMachine(error)) return false
    const { log, options } = this.#parts
    const isGiven = await log.change((change) => giveBack(change, next, { error, self: options }))
    if (!isGiven) return false
    this.owned.forget(next.row.id)
    this.#claims.pause(UNFIT_MS)
    this.queued()
    return true
  }

  /** In a change: of a task that was being started, the message that codex has not had. False: codex may have had it. */
  async #takeBackUnsent(change: Change, taskId: string): Promise<boolean> {
    const [first] = await messageRows(change.db, taskId, ['queued', 'sending'])
    if (first?.status !== 'queued') return false
    await takeBackIn(change, first)
    return true
  }

  #own(tasks: readonly StoredTask[]): void {
    this.owned.add(tasks.map(({ id }) => id))
    this.#parts.onOwned(tasks)
  }

  #run(tasks: readonly StoredTask[]): void {
    const { wake, endOrphanTurn, onError } = this.#parts
    this.#own(tasks)
    for (const task of tasks)
      if (task.orphan_turn === null) wake(task.id)
      else
        void endOrphanTurn(task)
          .then(() => wake(task.id))
          .catch(onError)
  }

  /** Tasks at work here that another worker was acting on when this one started. */
  async #takeBackLate(only: { taskId?: string } = {}): Promise<void> {
    const { log, membership, recover, onError } = this.#parts
    const rows = await log.change(async (change) => {
      const taken = await takeBackLate(change.db, membership.start, only)
      for (const { id } of taken) await takeUpOrphan(change, id)
      const rows = await Promise.all(taken.map(({ id }) => taskRow(change.db, id)))
      return rows.filter((row) => row !== undefined)
    })
    if (rows.length === 0) return
    this.#own(rows)
    void recover(rows).catch(onError)
  }

  async #carryOut(command: Command): Promise<Outcome> {
    const { taskId } = command
    const act = async () => (await this.#parts.act(command)) ?? null
    if (this.owned.has(taskId)) return { value: await act() }
    // Borrowed to act on it: the command is one more act, and its sender need not ask again.
    const done = this.owned.holds(taskId) ? await this.owned.acting(taskId, null, act) : null
    return done ?? { moved: true }
  }

  #look(): void {
    void this.lookForLimits()
    this.#claims.look()
    this.#commands.look()
  }
}
