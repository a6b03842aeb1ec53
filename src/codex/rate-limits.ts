import type { protocol } from './protocol/index.ts'

/** Whole seconds, and two clocks: a limit can be hit just after the moment it is said to end at. */
const JUST_NOW_MS = 2_000

/** What codex last said about the account's limits, per limit. */
export class RateLimits {
  readonly #byId = new Map<string, protocol.v2.RateLimitSnapshot>()

  update(snapshot: protocol.v2.RateLimitSnapshot | null | undefined): void {
    // codex also sends empty ones, after answers that carried no limits.
    if (snapshot?.primary || snapshot?.secondary) this.#byId.set(snapshot.limitId ?? '', snapshot)
  }

  /** When the last of the limits that are used up resets; null when none is known to be. */
  get resetAt(): Date | null {
    const times = [...this.#byId.values()]
      .flatMap(({ primary, secondary }) => [primary, secondary])
      .flatMap((window) => (window && window.usedPercent >= 100 && window.resetsAt ? [window.resetsAt] : []))
      .filter((seconds) => seconds * 1_000 > Date.now() - JUST_NOW_MS)
    return times.length > 0 ? new Date(Math.max(...times) * 1_000) : null
  }
}
