// The workspaces of a service. The room is loaded when the first of them is asked for, or is there from before.
import type {
  AppliedWork,
  ApplyWork,
  CleanedWorkspaces,
  CleanWorkspaces,
  Committed,
  CommitWork,
  RemovedWorkspace,
  RemoveWorkspace,
  Work,
  WorkDiff,
  Workspace,
  WorkspacesDoor,
} from '../../api/index.ts'
import { type Db, workspaceRows } from '../../store/index.ts'
import type { PlannedWorkspace, TaskWorkspaces } from '../../tasks/index.ts'
import type { ListedWorkspace, Workspaces } from '../../workspaces/index.ts'

interface Options {
  readonly db: Db
  readonly dataDir: string
  readonly root: string | null
  readonly env: NodeJS.ProcessEnv
  readonly now: () => number
  readonly workerId: string | null
  readonly isTrusted: (folder: string) => boolean
  readonly tell: (line: string) => void
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
    if ((await workspaceRows(this.#options.db)).length > 0) await (await this.#load()).open()
  }

  async close(): Promise<void> {
    await (await this.#room)?.close()
  }

  plan = async (...args: Parameters<TaskWorkspaces['plan']>): Promise<PlannedWorkspace> =>
    (await this.#load()).plan(...args)
  planFork = async (...args: Parameters<TaskWorkspaces['planFork']>): Promise<PlannedWorkspace> =>
    (await this.#load()).planFork(...args)

  prepare: TaskWorkspaces['prepare'] = async (row) => {
    if (row.workspace !== null) await (await this.#load()).prepare(row)
  }

  ended: TaskWorkspaces['ended'] = (row) => {
    if (row.workspace !== null) void this.#load().then((room) => room.ended(row))
  }

  async list(options: { readonly sizes: boolean }): Promise<Workspace[]> {
    return (await (await this.#load()).list(options)).map(shown)
  }

  async clean({ olderThanDays = 0, dryRun = false }: CleanWorkspaces): Promise<CleanedWorkspaces> {
    const before = this.#options.now() - olderThanDays * DAY_MS
    const { removed, kept } = await (await this.#load()).clean({ before, isDry: dryRun })
    return { removed: [...removed], kept: [...kept] }
  }

  async remove(id: string, request: RemoveWorkspace): Promise<RemovedWorkspace> {
    return (await this.#load()).remove(id, request)
  }

  async show(taskId: string): Promise<Work> {
    const { row, work, target } = await (await this.#load()).show(taskId)
    const { tree: _, files, uncommitted, commits, ...rest } = work
    const lists = { files: [...files], uncommitted: [...uncommitted], commits: [...commits] }
    return { workspace: row.id, folder: row.folder, branch: row.branch, appliesTo: target, ...rest, ...lists }
  }

  async diff(
    taskId: string,
    query: { turn?: number | undefined; paths?: readonly string[] | undefined },
  ): Promise<WorkDiff> {
    const { text, isCut } = await (await this.#load()).diff(taskId, query)
    return { patch: text, isCut }
  }

  async commit(taskId: string, request: CommitWork): Promise<Committed> {
    return { commit: await (await this.#load()).commit(taskId, request) }
  }

  async apply(taskId: string, request: ApplyWork): Promise<AppliedWork> {
    const { files, ...applied } = await (await this.#load()).apply(taskId, request)
    return { ...applied, files: [...files] }
  }

  async discard(taskId: string, request: RemoveWorkspace): Promise<RemovedWorkspace> {
    return (await this.#load()).discard(taskId, request)
  }

  #load(): Promise<Workspaces> {
    this.#room ??= import('../../workspaces/index.ts').then((room) => new room.Workspaces(this.#options))
    return this.#room
  }
}

function shown({ row, task, bytes, loss, problem }: ListedWorkspace): Workspace {
  const { id, kind, state, folder, source, branch, worker_id: workerId, created_at: createdAt } = row
  return {
    ...{ id, folder, source, branch, workerId, createdAt, task, bytes, problem },
    kind: kind as Workspace['kind'],
    state: state as Workspace['state'],
    uncommitted: loss?.files.length ?? 0,
    unmerged: loss?.commits.length ?? 0,
  }
}
