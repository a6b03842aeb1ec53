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
  readonly deliverable?: HookDeliverable
  /** With `onUpload`. */
  readonly upload?: HookUpload
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

export interface HookDeliverable {
  readonly id: string
  /** By which people and the API know it, within the task. */
  readonly number: number
  readonly title: string
  /** Relative to the folder of the task. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

export interface HookUpload {
  readonly files: readonly {
    readonly name: string
    readonly path: string
    readonly bytes: number
    readonly type: string
  }[]
  readonly actor: string
}
