/** A file that the model handed over. */
export interface DeliverableRow {
  id: string
  task_id: string
  /** From 1, in its task. */
  number: number
  turn_id: string | null
  /** Where it was, seen from the task's folder. */
  path: string
  title: string
  note: string | null
  bytes: number
  sha256: string
  /** `pending`, `accepted`, `sent-back`. */
  status: string
  /** What it was answered with. */
  words: string | null
  actor: string | null
  created_at: number
  answered_at: number | null
}

/** A piece of a deliverable's bytes. Only on PostgreSQL; there before the row of its deliverable. */
export interface DeliverablePartRow {
  deliverable_id: string
  part: number
  task_id: string
  bytes: Uint8Array
  created_at: number
}

/** A message of the model to the program that embeds Drawbridge. */
export interface CallerMessageRow {
  id: string
  task_id: string
  name: string
  /** JSON. */
  data: string
  /** `sent`, `answered`. */
  status: string
  /** JSON. */
  answer: string | null
  actor: string | null
  created_at: number
  answered_at: number | null
}
