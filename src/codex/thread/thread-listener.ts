import type { CodexNotification } from '../protocol/index.ts'
import type { Approver } from '../requests/index.ts'
import type { Incident } from './incident.ts'

/** What is heard of one thread and of the sub-agents that work for it, from the first word on. Codex never hears of it. */
export interface ThreadListener {
  /** Every notification, on the reader and in order. */
  readonly notification?: (notification: CodexNotification) => void
  /** Answers every question alone: neither the thread's rules nor the client's `onApproval` are asked. */
  readonly question?: Approver
  /** What should not have happened and was survived. The client's `onIncident` hears it too. */
  readonly incident?: (incident: Incident) => void
}
