/** A machine that tasks can run on. */
export interface HostRow {
  name: string
  destination: string
  /** JSON: identity, jump, codexPath. */
  options: string
  /** How it is used: `exec`. */
  mode: string
  /** JSON: words that people gave it. */
  labels: string
  added_by: string
  added_at: number
}
