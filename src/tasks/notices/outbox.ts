import type { OutgoingNotice } from '../model/index.ts'

/** Where notices wait until they are sent. Of several workers that take from one, each sends what it has claimed. */
export interface Outbox {
  /** Pending ones whose time has come, the longest waiting first, without those to these targets. */
  due(
    now: number,
    options: { readonly limit: number; readonly exceptTargets: readonly string[] },
  ): Promise<readonly OutgoingNotice[]>
  /** When the next one is due, of those not to these targets; null when nothing waits. */
  nextDueAt(options: {
    readonly exceptTargets: readonly string[]
    readonly now: number
  }): Promise<number | null>
  /** Those of them that this worker is to send now, as they are stored now. Without it: all, as there is no other. */
  claim?(notices: readonly OutgoingNotice[], now: number): Promise<readonly OutgoingNotice[]>
  /** They are not sent after all, and their attempt is not counted: any worker may take them. */
  release?(notices: readonly OutgoingNotice[]): Promise<void>
  /** These three count one attempt each. */
  sent(id: string, at: number): Promise<void>
  failed(id: string, next: { readonly error: string; readonly nextAttemptAt: number }): Promise<void>
  dead(id: string, error: string): Promise<void>
}
