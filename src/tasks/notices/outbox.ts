import type { OutgoingNotice } from '../model/index.ts'

/** Where notices wait until they are sent. One worker at a time takes from it. */
export interface Outbox {
  /** Pending ones whose time has come, the longest waiting first, without those to these targets. */
  due(
    now: number,
    options: { readonly limit: number; readonly exceptTargets: readonly string[] },
  ): Promise<readonly OutgoingNotice[]>
  /** When the next one is due, of those not to these targets; null when nothing waits. */
  nextDueAt(options: { readonly exceptTargets: readonly string[] }): Promise<number | null>
  /** These three count one attempt each. */
  sent(id: string, at: number): Promise<void>
  failed(id: string, next: { readonly error: string; readonly nextAttemptAt: number }): Promise<void>
  dead(id: string, error: string): Promise<void>
}
