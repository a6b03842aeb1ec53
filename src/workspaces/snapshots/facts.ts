// What is known of a snapshot besides its files: enough to make a task of it on another machine.
import type { LeftOut } from './read-tree.ts'

export type SnapshotCause = 'hand' | 'end' | 'limited' | 'turns'

/** Of its task, as it is stored there; what a restored task gets. */
export interface SnapshotTask {
  readonly id: string
  readonly title: string
  readonly prompt: string
  readonly cwd: string
  readonly policy: string
  readonly preset: string
  readonly rules: string
  readonly tools: string
  readonly keepOpen: boolean
  readonly timeoutMs: number | null
  readonly approvalTimeoutMs: number | null
  readonly outputSchema: string | null
  readonly labels: readonly string[]
  readonly snapshots: string | null
}

export interface SnapshotFacts {
  readonly id: string
  readonly takenAt: number
  readonly cause: SnapshotCause
  /** The turns of the task that are in it. */
  readonly turnCount: number
  /** null: it had none yet. */
  readonly threadId: string | null
  readonly machine: string
  readonly codexVersion: string | null
  readonly task: SnapshotTask
  /** Where the task works below the top of what was kept; empty: at the top. */
  readonly prefix: string
  readonly workspace: SnapshotWorkspace
  readonly counts: {
    readonly files: number
    readonly folders: number
    readonly links: number
    /** Of all files, as they are shown in a folder. */
    readonly bytes: number
    /** Files that were written to while they were read. */
    readonly changed: number
  }
  /** The first of them, and how many there are for each reason. */
  readonly leftOut: readonly LeftOut[]
  readonly leftOutCounts: Readonly<Partial<Record<LeftOut['why'], number>>>
}

/** What the folder was. */
export interface SnapshotWorkspace {
  readonly kind: string
  readonly source: string | null
  readonly branch: string | null
  readonly from: string | null
  /** The commit that the work is compared with. */
  readonly base: string | null
}
