// The workspaces of a service. The room is loaded when the first of them is asked for, or is there from before.
import type {
  AppliedWork,
  ApplyWork,
  CleanedWorkspaces,
  CleanWorkspaces,
  Committed,
  CommitWork,
  DiscardedWork,
  DiscardWork,
  RemovedWorkspace,
  RemoveWorkspace,
  Work,
  WorkDiff,
  Workspace,
  WorkspacesDoor,
} from '../../api/index.ts'
import { HostUnreachableError, isDrawbridgeError } from '../../codex/index.ts'
import type { Machine } from '../../hosts/index.ts'
import { type Db, hasSnapshots, workspaceRows } from '../../store/index.ts'
import type { TaskWorkspaces } from '../../tasks/index.ts'
import type { ListedWorkspace, SnapshotSettings, Workspaces } from '../../workspaces/index.ts'
import { plainError } from './host-trouble.ts'
import { ServiceSnapshots, type SnapshotTasks } from './service-snapshots.ts'
import type { SnapshotSettingsPlace } from './snapshot-settings.ts'

interface Options {
  readonly db: Db
  readonly dataDir: string
  readonly root: string | null
  readonly env: NodeJS.ProcessEnv
  readonly now: () => number
  readonly workerId: string | null
  readonly isTrusted: (folder: string) => boolean
  /** null: no snapshots are taken. */
  readonly snapshots?: (() => Promise<SnapshotSettings>) | undefined
  /** Of these tools, those that are here. */
  readonly knownTools?: (names: readonly string[]) => readonly string[]
  readonly tell: (line: string) => void
  readonly machineOf: (host: string) => Promise<Machine>
}

const DAY_MS = 24 * 60 * 60 * 1000

export class ServiceWorkspaces implements TaskWorkspaces, WorkspacesDoor {
  readonly #options: Options
  #room: Promise<Workspaces> | null = null

  constructor(options: Options) {
    this.#options = options
  }

  /** Finishes what an earlier service had begun to remove. */
  async open(): Promise<void> {
    const { db } = this.#options
    if ((await workspaceRows(db)).length > 0 || (await hasSnapshots(db))) await (await this.#load()).open()
  }

  async close(): Promise<void> {
    await (await this.#room)?.close()
  }

  plan: TaskWorkspaces['plan'] = (...args) => this.#do((room) => room.plan(...args))
  planFork: TaskWorkspaces['planFork'] = (...args) => this.#do((room) => room.planFork(...args))

  prepare: TaskWorkspaces['prepare'] = async (row) => {
    if (row.workspace !== null || this.#room) await this.#do((room) => room.prepare(row))
  }

  ended: TaskWorkspaces['ended'] = (row) => {
    if (row.workspace !== null || row.snapshots !== null) void this.#load().then((room) => room.ended(row))
  }

  async list(options: { readonly sizes: boolean }): Promise<Workspace[]> {
    return (await this.#do((room) => room.list(options))).map(shown)
  }

  async clean({ olderThanDays = 0, dryRun = false }: CleanWorkspaces): Promise<CleanedWorkspaces> {
    const before = this.#options.now() - olderThanDays * DAY_MS
    const { removed, kept } = await this.#do((room) => room.clean({ before, isDry: dryRun }))
    return { removed: [...removed], kept: [...kept] }
  }

  remove(id: string, request: RemoveWorkspace): Promise<RemovedWorkspace> {
    return this.#do((room) => room.remove(id, request))
  }

  show: WorkspacesDoor['show'] = async (taskId, query): Promise<Work> => {
    const { row, rows, work, target } = await this.#do((room) => room.show(taskId, query))
    const { tree: _, files, uncommitted, commits, ...rest } = work
    const lists = { files: [...files], uncommitted: [...uncommitted], commits: [...commits] }
    const { id: workspace, host, folder, branch } = row
    const repositories = rows.map(({ id, source, folder, branch }) => ({ id, source, folder, branch }))
    return { workspace, host, folder, branch, appliesTo: target, ...rest, ...lists, repositories }
  }

  diff: WorkspacesDoor['diff'] = async (taskId, query): Promise<WorkDiff> => {
    const { text, isCut, repositories } = await this.#do((room) => room.diff(taskId, query))
    const each = repositories.map(({ text: patch, ...one }) => ({ ...one, patch }))
    return { patch: text, isCut, repositories: each }
  }

  commit(taskId: string, request: CommitWork): Promise<Committed> {
    return this.#do((room) => room.commit(taskId, request))
  }

  async apply(taskId: string, request: ApplyWork): Promise<AppliedWork> {
    const { files, ...applied } = await this.#do((room) => room.apply(taskId, request))
    return { ...applied, files: [...files] }
  }

  discard(taskId: string, request: DiscardWork): Promise<DiscardedWork> {
    return this.#do((room) => room.discard(taskId, request))
  }

  async #do<T>(work: (room: Workspaces) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#load())
    } catch (error) {
      throw ofHost(error)
    }
  }

  snapshotsOf(tasks: SnapshotTasks): ServiceSnapshots {
    return new ServiceSnapshots({ room: () => this.#load(), tasks })
  }

  #load(): Promise<Workspaces> {
    this.#room ??= import('../../workspaces/index.ts').then(async (room) => {
      const { snapshots, ...options } = this.#options
      return new room.Workspaces({ ...options, snapshots: (await snapshots?.()) ?? null })
    })
    return this.#room
  }
}

/** Trouble with a host is told with what to do about it, and waited for. */
function ofHost(error: unknown): unknown {
  const { host } = Object(error) as { readonly host?: unknown }
  const plain = plainError(error)
  return typeof host === 'string' && isDrawbridgeError(error) && plain !== error
    ? new HostUnreachableError(host, plain)
    : error
}

function shown({ row, task, bytes, loss, problem }: ListedWorkspace): Workspace {
  const { id, kind, state, host, folder, source, branch, worker_id: workerId, created_at: createdAt } = row
  return {
    ...{ id, host, folder, source, branch, workerId, createdAt, task, bytes, problem },
    partOf: row.part_of,
    kind: kind as Workspace['kind'],
    state: state as Workspace['state'],
    uncommitted: loss?.files.length ?? 0,
    unmerged: loss?.commits.length ?? 0,
  }
}

/** What a service has to do with snapshots, looked up when there are any. */
export function snapshotsFor(
  place: SnapshotSettingsPlace,
  tools: { list(): readonly { readonly name: string }[] },
): Pick<Options, 'snapshots' | 'knownTools'> {
  return {
    snapshots: async () => (await import('./snapshot-settings.ts')).snapshotSettings(place),
    knownTools: (names) => names.filter((name) => tools.list().some((source) => source.name === name)),
  }
}
