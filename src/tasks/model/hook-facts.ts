import type { TaskStatus } from '../../store/index.ts'
import type { HookEvent } from './hooks.ts'

/** What a hook is told: as JSON on its standard input, or as its first argument. Never a secret. */
export interface HookFacts {
  readonly event: HookEvent
  readonly hook: string
  /** 1, or more when it runs again for the same occasion. */
  readonly attempt: number
  readonly task: HookTask
  /** With `onDeliverable`. */
  readonly deliverable?: Readonly<Record<string, unknown>>
  /** With `onUpload`. */
  readonly upload?: Readonly<Record<string, unknown>>
  /** With `onQuestion`. It can be answered by people and rules only. */
  readonly question?: HookQuestion
}

export interface HookTask {
  readonly id: string
  readonly title: string
  /** With `after` how the task ended. */
  readonly status: TaskStatus
  readonly reason: string
  readonly cwd: string
  /** null: the machine of the service. */
  readonly host: string | null
  readonly labels: readonly string[]
  readonly workspace: {
    readonly id: string | null
    readonly kind: string
    readonly branch: string | null
    readonly source: string | null
  } | null
  readonly turns: number
  readonly forkedFrom: string | null
  readonly parent: string | null
}

export interface HookQuestion {
  readonly id: string
  readonly kind: string
  readonly title: string
}
