/** A file that was given to a task. Its bytes are on the machine of the task's worker. */
export interface UploadRow {
  id: string
  task_id: string
  name: string
  /** Absolute. */
  path: string
  bytes: number
  type: string
  sha256: string
  actor: string
  /** The message that tells the model of it; null: none was sent since. */
  message_id: string | null
  created_at: number
}
