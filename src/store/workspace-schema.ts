/** A folder that Drawbridge made for a task. */
export interface WorkspaceRow {
  /** Its name, for people too. */
  id: string
  task_id: string
  /** The first workspace of its task, which has several; null: it is the first itself. */
  part_of: string | null
  /** The worker on whose machine it is; null on SQLite. */
  worker_id: string | null
  /** The host it is on; null: the worker's own machine. */
  host: string | null
  kind: string
  /** `planned`, `making`, `ready`, `removing`, `removed`. On record before each step. */
  state: string
  folder: string
  /** The folder, or the address, that it was made from. */
  source: string | null
  /** What the checkout and its source share: the folder with objects and branches. Of a clone its own. */
  repository: string | null
  branch: string | null
  /** 1: the branch was made for it. */
  owns_branch: number
  base_ref: string | null
  base_commit: string | null
  /** Of a fork: the workspace that it goes on from, and the commit its own begins with. JSON. */
  seed: string | null
  /** 1: a person trusted the repository, so its own filters run on its files. */
  filters: number
  keep: number
  /** Why it could not be made or removed. */
  problem: string | null
  created_at: number
  made_at: number | null
  removed_at: number | null
}

/** A workspace and a thread as they were, to be taken up again. */
export interface SnapshotRow {
  id: string
  /** The task it was taken of; it may be of another service, or deleted since. */
  task_id: string
  /** The worker whose disk it is on; null: every worker reaches its folder. */
  worker_id: string | null
  /** The folder of snapshots that it is in. */
  folder: string
  /** `taking`, `ready`, `failed`, `removing`. On record before each step. */
  state: string
  /** `hand`, `end`, `limited`, `turns`. */
  cause: string
  turn_count: number
  /** 1: it came as a file. */
  is_imported: number
  /** 1: it is encrypted. */
  is_sealed: number
  /** JSON: what is known of it; null until it is ready. */
  facts: string | null
  /** What it added to its folder. */
  stored_bytes: number | null
  /** Why it could not be taken. */
  problem: string | null
  created_at: number
}
