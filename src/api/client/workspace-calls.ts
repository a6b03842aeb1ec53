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
} from '../contract.ts'
import type { Http } from './http.ts'
import type { CallOptions } from './task-calls.ts'

/** Which repository of a task that has several: its id, or the name of its folder. */
interface Meant {
  readonly repository?: string | undefined
}

/** Workspaces, by their name, and the work in them, by its task. */
export class WorkspaceCalls {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  async list(
    { sizes = false }: { readonly sizes?: boolean } = {},
    options: CallOptions = {},
  ): Promise<Workspace[]> {
    const { items } = await this.#http.json<{ items: Workspace[] }>(
      'GET',
      `/v1/workspaces?sizes=${sizes}`,
      options,
    )
    return items
  }

  clean(request: CleanWorkspaces = {}, options: CallOptions = {}): Promise<CleanedWorkspaces> {
    return this.#http.json('POST', '/v1/workspaces/clean', { body: request, ...options })
  }

  remove(id: string, request: RemoveWorkspace = {}, options: CallOptions = {}): Promise<RemovedWorkspace> {
    return this.#http.json('POST', `/v1/workspaces/${encodeURIComponent(id)}/remove`, {
      body: request,
      ...options,
    })
  }

  /** `repository`: of a task with several, another than the one it works in. */
  work(taskId: string, { repository, ...options }: CallOptions & Meant = {}): Promise<Work> {
    const query = repository === undefined ? '' : `?${new URLSearchParams({ repository })}`
    return this.#http.json('GET', `${ofTask(taskId)}/work${query}`, options)
  }

  diff(
    taskId: string,
    {
      turn,
      path,
      repository,
    }: Meant & { readonly turn?: number | undefined; readonly path?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<WorkDiff> {
    const query = new URLSearchParams()
    if (turn !== undefined) query.set('turn', String(turn))
    if (path !== undefined) query.set('path', path)
    if (repository !== undefined) query.set('repository', repository)
    return this.#http.json('GET', `${ofTask(taskId)}/diff?${query}`, options)
  }

  commit(taskId: string, request: CommitWork, options: CallOptions = {}): Promise<Committed> {
    return this.#http.json('POST', `${ofTask(taskId)}/commit`, { body: request, ...options })
  }

  apply(taskId: string, request: ApplyWork, options: CallOptions = {}): Promise<AppliedWork> {
    return this.#http.json('POST', `${ofTask(taskId)}/apply`, { body: request, ...options })
  }

  discard(taskId: string, request: DiscardWork = {}, options: CallOptions = {}): Promise<DiscardedWork> {
    return this.#http.json('POST', `${ofTask(taskId)}/discard`, { body: request, ...options })
  }
}

function ofTask(taskId: string): string {
  return `/v1/tasks/${encodeURIComponent(taskId)}`
}
