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
} from '../contract.ts'
import type { Http } from './http.ts'
import type { CallOptions } from './task-calls.ts'

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

  work(taskId: string, options: CallOptions = {}): Promise<Work> {
    return this.#http.json('GET', `${ofTask(taskId)}/work`, options)
  }

  diff(
    taskId: string,
    { turn, path }: { readonly turn?: number | undefined; readonly path?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<WorkDiff> {
    const query = new URLSearchParams()
    if (turn !== undefined) query.set('turn', String(turn))
    if (path !== undefined) query.set('path', path)
    return this.#http.json('GET', `${ofTask(taskId)}/diff?${query}`, options)
  }

  commit(taskId: string, request: CommitWork, options: CallOptions = {}): Promise<Committed> {
    return this.#http.json('POST', `${ofTask(taskId)}/commit`, { body: request, ...options })
  }

  apply(taskId: string, request: ApplyWork, options: CallOptions = {}): Promise<AppliedWork> {
    return this.#http.json('POST', `${ofTask(taskId)}/apply`, { body: request, ...options })
  }

  discard(
    taskId: string,
    request: RemoveWorkspace = {},
    options: CallOptions = {},
  ): Promise<RemovedWorkspace> {
    return this.#http.json('POST', `${ofTask(taskId)}/discard`, { body: request, ...options })
  }
}

function ofTask(taskId: string): string {
  return `/v1/tasks/${encodeURIComponent(taskId)}`
}
