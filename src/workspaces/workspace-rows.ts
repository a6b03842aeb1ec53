// The workspaces on record that are on this machine, or on a host that this worker reaches.
import {
  type Db,
  hasEnded,
  type StoredWorkspace,
  type TaskStatus,
  taskRow,
  workspaceRow,
  workspacesOfTask,
} from '../store/index.ts'
import { TaskError } from '../tasks/index.ts'
import { WorkspaceError } from './workspace-error.ts'

interface WorkspaceRowsOptions {
  readonly db: Db
  /** The worker whose machine this is; null on SQLite. */
  readonly workerId: string | null
}

export class WorkspaceRows {
  readonly #options: WorkspaceRowsOptions

  constructor(options: WorkspaceRowsOptions) {
    this.#options = options
  }

  async row(id: string): Promise<StoredWorkspace> {
    const row = await workspaceRow(this.#options.db, id)
    if (!row) throw new WorkspaceError('workspace-not-found', `there is no workspace ${id}`)
    return this.#refuseElsewhere(row)
  }

  /** The one that the task works in. */
  async ofTask(taskId: string): Promise<StoredWorkspace> {
    return (await this.allOfTask(taskId))[0]!
  }

  /** With those of a task with several repositories; the one it works in is first. */
  async allOfTask(taskId: string): Promise<StoredWorkspace[]> {
    const { db } = this.#options
    const rows = await workspacesOfTask(db, taskId)
    if (rows.length > 0) return rows.map((row) => this.#refuseElsewhere(row))
    const task = await taskRow(db, taskId)
    if (!task) throw new TaskError('task-not-found', `there is no task ${taskId}`)
    throw new WorkspaceError(
      'workspace-not-found',
      `the task works in ${task.cwd} itself, not in a workspace of its own: use git there`,
    )
  }

  async refuseBusy({ id, task_id: taskId }: StoredWorkspace): Promise<void> {
    const task = await taskRow(this.#options.db, taskId)
    if (!task || hasEnded(task.status as TaskStatus)) return
    throw new WorkspaceError(
      'workspace-busy',
      `the task works in ${id}: it is ${task.status}. Wait, or interrupt it first`,
      {
        details: { taskId, status: task.status },
      },
    )
  }

  #refuseElsewhere(row: StoredWorkspace): StoredWorkspace {
    if (this.isHere(row)) return row
    throw new WorkspaceError(
      'workspace-elsewhere',
      `the workspace ${row.id} is on the machine of another worker: ask there`,
      {
        details: { workerId: row.worker_id },
      },
    )
  }

  isHere({ worker_id: workerId }: StoredWorkspace): boolean {
    return workerId === this.#options.workerId
  }
}
