// The workspaces that Drawbridge makes for tasks: worktrees, clones and empty folders. On record before they are made, removed
// only without work that is nowhere else, or when a person has said so.
import path from 'node:path'
import { isDrawbridgeError } from '../codex/index.ts'
import {
  type Db,
  type StoredTask,
  type StoredWorkspace,
  taskRow,
  updateWorkspace,
  workspaceRows,
} from '../store/index.ts'
import {
  type PlannedWorkspace,
  TaskError,
  type TaskWorkspace,
  type TaskWorkspaces,
  type WorkspaceRequest,
} from '../tasks/index.ts'
import { folderSize } from './folder-size.ts'
import { historyOf, inspect, isPlain } from './inspect.ts'
import { inTime, type ListedWorkspace, whyKept } from './listed-workspace.ts'
import { Machines, type MachinesOptions } from './machines.ts'
import { type MakeParts, make, undo } from './make.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { planFork, refuseForkOf } from './plan.ts'
import { lossOf, type Removed, type RemoveRequest, refuseLoss, takeAway } from './remove.ts'
import { joined, named, planAll, present, repositoryNeeded } from './repositories.ts'
import { type SnapshotSettings, type TakenSnapshots, takenSnapshots } from './snapshots/index.ts'
import { type Meant, repositoryKey, TaskWork } from './task-work.ts'
import { WorkspaceError } from './workspace-error.ts'
import { WorkspaceRows } from './workspace-rows.ts'

export interface WorkspacesOptions extends MachinesOptions {
  readonly db: Db
  readonly now: () => number
  /** The worker whose machine this is; null on SQLite. */
  readonly workerId: string | null
  readonly isTrusted: (folder: string) => boolean
  readonly tell: (line: string) => void
  /** null: this service takes no snapshots. */
  readonly snapshots?: SnapshotSettings | null
  /** Of these tools of a snapshot, those that are here. */
  readonly knownTools?: (names: readonly string[]) => readonly string[]
}

export class Workspaces implements TaskWorkspaces {
  readonly #options: WorkspacesOptions
  readonly #machines: Machines
  readonly #queue = new OneAtATime()
  readonly #rows: WorkspaceRows
  readonly #work: TaskWork
  readonly #snapshots: TakenSnapshots | null

  constructor(options: WorkspacesOptions) {
    this.#options = options
    this.#machines = new Machines(options)
    this.#rows = new WorkspaceRows(options)
    this.#work = new TaskWork({ rows: this.#rows, machines: this.#machines, queue: this.#queue })
    const { atStep = () => {} } = options
    const here = (how?: { make: boolean }) => this.#machines.partsOn(null, how)
    this.#snapshots = takenSnapshots({ ...options, atStep, here, queue: this.#queue })
  }

  /** Throws where this service takes none. */
  get snapshots(): TakenSnapshots {
    if (!this.#snapshots) throw new TaskError('not-supported', 'this service takes no snapshots')
    return this.#snapshots
  }

  /** The folder of a restored task is there when this resolves. */
  async makeRestored(id: string): Promise<void> {
    await this.#queue.do(id, () => this.#make(id))
  }

  /** Finishes what was being removed when an earlier service ended; on hosts in its own time. Never rejects. */
  async open(): Promise<void> {
    const { db, tell } = this.#options
    await this.#snapshots?.taken.open().catch((error) => tell(`snapshots: ${error}`))
    const rows = (await workspaceRows(db)).filter((row) => this.#rows.isHere(row))
    for (const row of rows) {
      if (row.state !== 'removing') continue
      const finished = this.#finishLater(row)
      if (row.host === null) await finished
    }
  }

  async #finishLater(row: StoredWorkspace): Promise<void> {
    const { tell } = this.#options
    const finish = () => this.#finishRemoval(row, null)
    await this.#queue.do(row.id, finish).catch((error) => tell(`the workspace ${row.id} stays: ${error}`))
  }

  /** Resolves when nothing is being done in any repository. */
  close(): Promise<void> {
    return this.#queue.idle()
  }

  async plan(
    request: WorkspaceRequest,
    { cwd, host = null }: { readonly cwd: string; readonly host?: string | null },
  ): Promise<PlannedWorkspace> {
    return planAll(request, { cwd }, await this.#planParts(host))
  }

  async planFork(from: StoredTask): Promise<PlannedWorkspace> {
    const rows = await this.#rows.allOfTask(from.id)
    refuseForkOf(rows[0]!)
    const commits = (JSON.parse(from.workspace!) as TaskWorkspace).commitsTo !== null
    const parts = { ...(await this.#planParts(rows[0]!.host)), commits }
    const forks = rows.map(async (row, at) => {
      const prefix = at === 0 ? path.relative(row.folder, from.cwd) : ''
      const isBegun = row.state === 'ready' && row.kind !== 'scratch'
      const work = isBegun ? await this.#queue.do(row.id, () => inspect(row, parts)) : null
      return planFork(row, work && { head: work.head, tree: work.tree }, { ...parts, prefix })
    })
    return joined(await Promise.all(forks))
  }

  /** One after the other: the first that cannot be made says why. */
  async prepare(task: StoredTask): Promise<void> {
    await this.#snapshots?.taken.settled(task.id)
    if (task.workspace === null) return
    for (const { id } of await this.#rows.allOfTask(task.id))
      await this.#queue.do(id, () => this.#prepareOne(id, task))
  }

  async #prepareOne(id: string, task: StoredTask): Promise<void> {
    await this.#make(id)
    const row = await this.#rows.row(id)
    if (row.kind === 'snapshot') await this.snapshots.restores.placeThread(task, row)
    if (!isPlain(row) && task.turn_count > 0)
      await historyOf(row, await this.#partsOf(row)).keepBefore(task.turn_count + 1)
  }

  ended(task: StoredTask): void {
    this.#snapshots?.taken.ended(task)
    if (task.status !== 'completed' || task.workspace === null) return
    const away = async () => {
      const { id, kind, keep } = await this.#rows.ofTask(task.id)
      if (kind !== 'scratch' || keep === 1) return
      await this.#snapshots?.taken.settled(task.id)
      await this.#queue.do(id, () => this.#removeScratch(id))
    }
    void away().catch((error) => this.#options.tell(`a workspace stays: ${error}`))
  }

  async list({ sizes }: { readonly sizes: boolean }): Promise<ListedWorkspace[]> {
    const rows = await workspaceRows(this.#options.db)
    return Promise.all(rows.map((row) => this.#listed(row, sizes)))
  }

  show: TaskWork['show'] = (...args) => this.#work.show(...args)
  diff: TaskWork['diff'] = (...args) => this.#work.diff(...args)
  commit: TaskWork['commit'] = (...args) => this.#work.commit(...args)
  apply: TaskWork['apply'] = (...args) => this.#work.apply(...args)

  /** Of several each is named: none is lost because another was meant. */
  async discard(
    taskId: string,
    { repository, ...request }: Meant & RemoveRequest,
  ): Promise<Removed & { readonly workspace: string }> {
    const all = await this.#rows.allOfTask(taskId)
    const rows = present(all)
    if (repository === undefined && rows.length > 1) throw repositoryNeeded(rows)
    const { id } = repository === undefined ? rows[0]! : named(all, repository)
    return { workspace: id, ...(await this.remove(id, request)) }
  }

  async remove(id: string, request: RemoveRequest): Promise<Removed> {
    return this.#queue.do(id, async () => {
      const row = await this.#rows.row(id)
      if (row.state === 'removed')
        throw new WorkspaceError('workspace-gone', `the workspace ${id} was removed before`)
      // A snapshot of half of it would be all that is left.
      await this.#snapshots?.taken.settled(row.task_id)
      await this.#rows.refuseBusy(row)
      const parts = await this.#partsOf(row)
      const { loss, work } = await lossOf(row, parts).catch((error: unknown) => {
        // A person has named it: what is broken there can be removed all the same. Its branch stays.
        if (request.confirm !== id || isRetryable(error)) throw error
        return { loss: null, work: null }
      })
      refuseLoss(row, loss, request)
      const isDropped = work !== null && (work.isMerged || request.branch === true)
      await this.#remove(row, isDropped ? work.head : null)
      const hasOwn = row.kind === 'worktree' && row.owns_branch === 1 && work !== null
      return { keptBranch: hasOwn && !isDropped ? row.branch : null }
    })
  }

  /** Those of tasks that have ended, without work that is nowhere else. */
  async clean({ before, isDry }: { readonly before: number; readonly isDry: boolean }): Promise<{
    readonly removed: readonly string[]
    readonly kept: readonly { readonly id: string; readonly why: string }[]
  }> {
    const removed: string[] = []
    const kept: { id: string; why: string }[] = []
    for (const { row, task, loss, problem } of await this.list({ sizes: false })) {
      const why = whyKept({ row, task, loss, problem, before }, this.#rows.isHere(row))
      if (why !== null) kept.push({ id: row.id, why })
      else if (isDry) removed.push(row.id)
      else
        await this.remove(row.id, {}).then(
          () => removed.push(row.id),
          (error: Error) => kept.push({ id: row.id, why: error.message }),
        )
    }
    return { removed, kept }
  }

  async #make(id: string): Promise<void> {
    let row = await this.#rows.row(id)
    if (row.state === 'ready') return
    if (row.kind === 'scratch' && row.state === 'removing') {
      await this.#finishRemoval(row, null)
      row = await this.#rows.row(id)
    }
    const isAgain = row.kind === 'scratch' && row.state === 'removed'
    if (row.state === 'removing' || (row.state === 'removed' && !isAgain))
      throw new WorkspaceError(
        'workspace-gone',
        `the workspace ${id} of this task was removed: fork it, or start another`,
      )
    const { db, now } = this.#options
    await updateWorkspace(db, id, { from: [row.state], state: 'making', problem: null })
    const parts = await this.#partsOf(row)
    await parts.atStep('making')
    try {
      const made = await this.#queue.do(repositoryKey(row), () =>
        row.kind === 'snapshot' ? this.snapshots.restores.make(row) : make(row, parts),
      )
      await updateWorkspace(db, id, { from: ['making'], state: 'ready', made_at: now(), ...made })
    } catch (error) {
      await updateWorkspace(db, id, { from: ['making'], problem: String((error as Error).message) })
      throw error
    }
    await parts.atStep('made')
  }

  /** Unless its task went on while this waited. It is made once more when its task goes on later. */
  async #removeScratch(id: string): Promise<void> {
    const row = await this.#rows.row(id)
    const task = await taskRow(this.#options.db, row.task_id)
    if (row.state === 'ready' && (!task || task.status === 'completed')) await this.#remove(row, null)
  }

  async #remove(row: StoredWorkspace, head: string | null): Promise<void> {
    const { db } = this.#options
    const from = ['planned', 'making', 'ready', 'removing']
    await updateWorkspace(db, row.id, { from, state: 'removing' })
    await this.#options.atStep?.('removing')
    await this.#finishRemoval(row, head)
  }

  async #finishRemoval(row: StoredWorkspace, head: string | null): Promise<void> {
    const { db, now } = this.#options
    const isUnmade = row.made_at === null
    const parts = await this.#partsOf(row)
    // A folder of the user's that was named for a snapshot, and got no files of it, is not ours to remove.
    const isOurs = row.kind !== 'snapshot' || (await this.snapshots.restores.forget(row))
    if (isOurs || !isUnmade)
      await this.#queue.do(repositoryKey(row), () =>
        isUnmade ? undo(row, parts) : takeAway(row, { head, parts }),
      )
    await updateWorkspace(db, row.id, { from: ['removing'], state: 'removed', removed_at: now() })
  }

  async #listed(row: StoredWorkspace, sizes: boolean): Promise<ListedWorkspace> {
    const task = await taskRow(this.#options.db, row.task_id)
    const shown = task ? { id: task.id, title: task.title, status: task.status } : null
    if (!this.#rows.isHere(row)) return { row, task: shown, bytes: null, loss: null, problem: null }
    try {
      const seen = await inTime(row, this.#seen(row, sizes))
      return { row, task: shown, ...seen, problem: row.problem }
    } catch (error) {
      return { row, task: shown, bytes: null, loss: null, problem: (error as Error).message }
    }
  }

  async #seen(row: StoredWorkspace, sizes: boolean): Promise<Pick<ListedWorkspace, 'bytes' | 'loss'>> {
    const parts = await this.#partsOf(row)
    const bytes = sizes && row.state === 'ready' ? await folderSize(parts.git.machine, row.folder) : null
    const { loss } = await this.#queue.do(row.id, () => lossOf(row, parts))
    return { bytes, loss }
  }

  #partsOf({ host }: StoredWorkspace): Promise<MakeParts> {
    return this.#machines.partsOn(host)
  }

  /** Nobody can trust a repository on a host. */
  async #planParts(host: string | null) {
    const { now, workerId, isTrusted } = this.#options
    const trusted = host === null ? isTrusted : () => false
    return { ...(await this.#machines.partsOn(host, { make: true })), now, workerId, isTrusted: trusted }
  }
}

/** Such as a host that is away. */
function isRetryable(error: unknown): boolean {
  return isDrawbridgeError(error) && error.retryable
}
