import type { Db } from '../../store/index.ts'
import type { Git } from '../git/run-git.ts'
import type { OneAtATime } from '../one-at-a-time.ts'
import type { Places } from '../places.ts'

/** As the settings say it, complete. */
export interface SnapshotSettings {
  /** Where snapshots are kept; null: in the data folder. One that all workers reach lets others restore them. */
  readonly folder: string | null
  /** How many are kept of each task. */
  readonly keep: number
  /** What is left out, as lines of a .gitignore. */
  readonly exclude: readonly string[]
  /** Also what the .gitignore files in the workspace leave out. */
  readonly gitignore: boolean
  readonly encrypt: boolean
  /** The key for those that are encrypted; null: there is none, and none is to be made. */
  readonly key: () => Promise<Buffer | null>
  /** Codex's own folder where a task names none. */
  readonly codexHome: string
  /** The name of this machine. */
  readonly machine: string
}

interface LocalParts {
  readonly git: Git
  readonly places: Places
}

export interface SnapshotParts {
  readonly db: Db
  readonly dataDir: string
  /** The git and the folders of this machine; `make`: those are there then, and named as they really are. */
  readonly here: (how?: { readonly make: boolean }) => Promise<LocalParts>
  /** Shared with what else is done in workspaces. */
  readonly queue: OneAtATime
  readonly settings: SnapshotSettings
  readonly now: () => number
  /** The worker whose machine this is; null on SQLite. */
  readonly workerId: string | null
  readonly tell: (line: string) => void
  readonly atStep: (name: string) => void | Promise<void>
}
