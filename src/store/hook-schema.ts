/** One hook for one occasion: on record before it is started. */
export interface HookRunRow {
  id: string
  task_id: string
  /** The worker that has the task and runs the hook; null on SQLite. */
  worker_id: string | null
  /** By its name in the settings. */
  hook: string
  event: string
  /** What it runs for: the workspace as it was made, an end of the task, a question … With hook and event it is there once. */
  subject: string
  /** Its place among the hooks of the same occasion. */
  position: number
  /** `planned`, `running`, `done`, `failed`, `timed-out`, `interrupted`, `cut` (nobody knows whether it finished), `skipped`. */
  state: string
  /** How often it was started. */
  attempt: number
  /** JSON: what it is told beside the task. */
  facts: string
  /** JSON: its process, once it is known; null: it has none, or is not running. */
  process: string | null
  /** Why it failed or did not run. */
  problem: string | null
  created_at: number
  started_at: number | null
  ended_at: number | null
}
