import { type Approval, type Grant, type Task, TaskError, type TaskService } from '../model/index.ts'

export interface GrantParts {
  readonly sight: Sight
  readonly grant: Grant
}

/** Whose a task is to a token. `unknown`: a task above it is gone, and with it who started that. */
type Kinship = 'own' | 'foreign' | 'unknown'

/** Which tasks a token sees. One that it does not see is answered like one that does not exist. */
export class Sight {
  readonly #tasks: Pick<TaskService, 'get' | 'approval' | 'senders'>
  readonly #grant: Grant

  constructor(tasks: Pick<TaskService, 'get' | 'approval' | 'senders'>, grant: Grant) {
    this.#tasks = tasks
    this.#grant = grant
  }

  /** For queries over tasks: the token that they must belong to. */
  get ownedBy(): { readonly ownedBy?: string } {
    return this.#grant.tasks === 'all' ? {} : { ownedBy: this.#grant.tokenId }
  }

  /** Rejects with `task-not-found` when the token does not see it. */
  async task(taskId: string): Promise<Task> {
    const task = await this.#tasks.get(taskId)
    if (this.#grant.tasks === 'all' || (await this.kinshipOf(task)) === 'own') return task
    throw new TaskError('task-not-found', `there is no task ${taskId}`)
  }

  /** Rejects with `approval-not-found` when the token does not see its task. */
  async approval(approvalId: string): Promise<{ approval: Approval; task: Task }> {
    const approval = await this.#tasks.approval(approvalId)
    const task = await this.find(approval.taskId)
    if (task) return { approval, task }
    throw new TaskError('approval-not-found', `there is no approval ${approvalId}`)
  }

  /** null: it does not exist, or the token does not see it. */
  async find(taskId: string): Promise<Task | null> {
    return this.task(taskId).catch(nullIfUnknown)
  }

  /** Its own are those it started, and all below them: whoever started these. */
  async kinshipOf(task: Task): Promise<Kinship> {
    for (let each = task; ; ) {
      if (each.createdBy?.tokenId === this.#grant.tokenId) return 'own'
      if (each.parent === null) return 'foreign'
      const above = await this.#above(each)
      if (above === null) return 'unknown'
      each = above
    }
  }

  /**
   * Whether the token has told the task, or one above it, what to do. One without `start` cannot have: its messages are
   * answers to questions.
   */
  async hasSentTo(task: Task, actor: string): Promise<boolean> {
    if (!this.#grant.may.includes('start')) return false
    for (let each: Task | null = task; each !== null; each = await this.#above(each))
      if ((await this.#tasks.senders(each.id)).includes(actor)) return true
    return false
  }

  async #above({ parent }: Task): Promise<Task | null> {
    return parent === null ? null : this.#tasks.get(parent).catch(nullIfUnknown)
  }
}

function nullIfUnknown(error: unknown): null {
  if (error instanceof TaskError && error.code === 'task-not-found') return null
  throw error
}
