import type { TaskStatus } from '../task-statuses.ts'

export interface TaskFilter {
  readonly status?: readonly TaskStatus[] | undefined
  /** Of those that wait: only those that wait for their worker, or for a person. Other statuses are not affected. */
  readonly waitingFor?: 'worker' | 'person' | undefined
  /** All of these. */
  readonly labels?: readonly string[] | undefined
  /** In title, prompt or answer. */
  readonly search?: string | undefined
  readonly cwd?: string | undefined
  /** Started by this task. */
  readonly parent?: string | undefined
  /** Started by this task, or below one that was. */
  readonly below?: string | undefined
  /** Started with this token, or below a task that was. */
  readonly ownedBy?: string | undefined
  /** `false` (default): without archived ones; `only`: nothing else. */
  readonly archived?: false | true | 'only' | undefined
}

export interface TaskQuery extends TaskFilter {
  /** Newest first. */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}
