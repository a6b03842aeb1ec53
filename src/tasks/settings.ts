// What the service can be told. Every default is here.
import type { NoticeSettings } from './notices/index.ts'

export interface TaskSettings {
  /** Turns that work at the same time; those that wait for a person do not count. */
  readonly maxWorking: number
  /** Where notices of tasks that name no target go. */
  readonly notify: readonly string[]
  /** How long a question may wait before the answer is no; null: as long as it stands. */
  readonly approvalTimeoutMs: number | null
  /** How many tasks may be above a task: 0 means that no task starts another. */
  readonly maxDepth: number
  /** Where people reach the console. */
  readonly baseUrl: string | null
  readonly notices: Omit<NoticeSettings, 'now'>
}

export const DEFAULT_SETTINGS: Omit<TaskSettings, 'notices'> = {
  maxWorking: 8,
  notify: [],
  approvalTimeoutMs: null,
  maxDepth: 2,
  baseUrl: null,
}
