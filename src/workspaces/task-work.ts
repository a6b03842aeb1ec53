// The work of a task in its workspace: shown, compared, committed, applied. Of several repositories one at a time.
import path from 'node:path'
import type { StoredWorkspace } from '../store/index.ts'
import { type ApplyTarget, applyTarget } from './apply-target.ts'
import { type Applied, type ApplyRequest, applyWork } from './apply-work.ts'
import { type CommitRequest, commitWork } from './commit-work.ts'
import { type Patch, patchOf } from './git/compare.ts'
import { findRepository } from './git/repository.ts'
import { historyOf, inspect, isOwnRepository, ownFiles, refuseMissing, type Work } from './inspect.ts'
import type { Machines } from './machines.ts'
import type { MakeParts } from './make.ts'
import type { OneAtATime } from './one-at-a-time.ts'
import { joinPatches, named, present, type RepositoryPatch, repositoryNeeded } from './repositories.ts'
import { WorkspaceError } from './workspace-error.ts'
import type { WorkspaceRows } from './workspace-rows.ts'

const MAX_PATCH_BYTES = 2 * 1024 * 1024

/** Which repository of a task that has several: its id, or the name of its folder. */
export interface Meant {
  readonly repository?: string | undefined
}

interface DiffQuery {
  readonly turn?: number | undefined
  readonly paths?: readonly string[] | undefined
}

interface Shown {
  readonly row: StoredWorkspace
  /** All of the task's that are there. */
  readonly rows: readonly StoredWorkspace[]
  readonly work: Work
  readonly target: ApplyTarget | null
}

interface TaskWorkParts {
  readonly rows: WorkspaceRows
  readonly machines: Machines
  readonly queue: OneAtATime
}

export class TaskWork {
  readonly #rows: WorkspaceRows
  readonly #machines: Machines
  readonly #queue: OneAtATime

  constructor({ rows, machines, queue }: TaskWorkParts) {
    this.#rows = rows
    this.#machines = machines
    this.#queue = queue
  }

  /** Of the repository that is named, else of the one the task works in. */
  async show(taskId: string, { repository }: Meant = {}): Promise<Shown> {
    const all = await this.#rows.allOfTask(taskId)
    const rows = present(all)
    const row = repository === undefined ? rows[0]! : named(all, repository)
    const parts = await this.#machines.partsOn(row.host)
    const work = await this.#queue.do(row.id, () => inspect(row, parts))
    return { row, rows, work, target: await applyTarget(row, parts.git) }
  }

  /** Of all the work, or of what one turn did. Of several repositories one after the other, and each by itself too. */
  async diff(
    taskId: string,
    { repository, ...query }: Meant & DiffQuery,
  ): Promise<Patch & { readonly repositories: readonly RepositoryPatch[] }> {
    const all = await this.#rows.allOfTask(taskId)
    const rows = repository === undefined ? present(all) : [named(all, repository)]
    const [row, ...others] = rows
    if (others.length === 0) return { ...(await this.#diffOf(row!, query)), repositories: [] }
    const patches: RepositoryPatch[] = []
    for (const each of rows)
      patches.push({ id: each.id, source: each.source!, ...(await this.#diffOf(each, query)) })
    return { ...joinPatches(patches), repositories: patches }
  }

  async #diffOf(row: StoredWorkspace, { turn, paths }: DiffQuery): Promise<Patch> {
    const parts = await this.#machines.partsOn(row.host)
    await refuseMissing(row, parts)
    return this.#queue.do(row.id, async () => {
      const history = historyOf(row, parts)
      const from = turn === undefined ? row.base_commit! : await history.before(turn)
      if (from === null)
        throw new WorkspaceError(
          'nothing-to-do',
          `of turn ${turn} it is not known how the files were before it`,
        )
      const to = (turn === undefined ? null : await history.before(turn + 1)) ?? (await history.tree())
      return patchOf(parts.git, history, {
        from,
        to,
        ...(paths && { paths }),
        maxBytes: MAX_PATCH_BYTES,
      })
    })
  }

  async commit(taskId: string, { repository, ...request }: Meant & CommitRequest) {
    const { row, parts } = await this.#atRest(taskId, repository, ({ uncommitted }) => ownFiles(uncommitted))
    const commit = await this.#queue.do(row.id, () =>
      this.#queue.do(repositoryKey(row), () => commitWork(row, request, parts)),
    )
    return { workspace: row.id, commit }
  }

  async apply(
    taskId: string,
    { repository, ...request }: Meant & ApplyRequest,
  ): Promise<Applied & { readonly workspace: string }> {
    const { row, parts } = await this.#atRest(taskId, repository, ({ files }) => ownFiles(files))
    const source =
      isOwnRepository(row) && row.source !== null && path.isAbsolute(row.source)
        ? await findRepository(parts.git.machine.files, row.source)
        : null
    const target = isOwnRepository(row) ? (source?.commonDir ?? `${row.id} target`) : row.repository
    const applied = await this.#queue.do(row.id, () =>
      this.#queue.do(repositoryKey(row, target), () => applyWork(row, request, parts)),
    )
    return { workspace: row.id, ...applied }
  }

  /** The repository that is named, else the only one with such work; with none, the first says that there is nothing. */
  async #atRest(
    taskId: string,
    repository: string | undefined,
    workOf: (work: Work) => readonly unknown[],
  ): Promise<{ row: StoredWorkspace; parts: MakeParts }> {
    const all = await this.#rows.allOfTask(taskId)
    const rows = repository === undefined ? present(all) : [named(all, repository)]
    for (const row of rows) {
      await refuseMissing(row, await this.#machines.partsOn(row.host))
      await this.#rows.refuseBusy(row)
    }
    const having = rows.length === 1 ? rows : await this.#withWork(rows, workOf)
    if (having.length > 1) throw repositoryNeeded(having)
    const row = having[0] ?? rows[0]!
    return { row, parts: await this.#machines.partsOn(row.host) }
  }

  async #withWork(
    rows: readonly StoredWorkspace[],
    workOf: (work: Work) => readonly unknown[],
  ): Promise<StoredWorkspace[]> {
    const having: StoredWorkspace[] = []
    for (const row of rows) {
      const parts = await this.#machines.partsOn(row.host)
      const work = await this.#queue.do(row.id, () => inspect(row, parts))
      if (workOf(work).length > 0) having.push(row)
    }
    return having
  }
}

/** What is done in one repository is done one after the other. */
export function repositoryKey({ id, host, repository }: StoredWorkspace, target = repository): string {
  return `${host ?? ''}:${target ?? `${id} clone`}`
}
