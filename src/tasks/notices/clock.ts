import { LONGEST_TIMER_MS } from '../../util/longest-timer.ts'

/** The time, and a call at a later one. `after` returns how to call it off. */
export interface Clock {
  now(): number
  after(delayMs: number, call: () => void): () => void
}

/** Does not keep the process alive. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  after(delayMs, call) {
    const timer = setTimeout(call, Math.min(Math.max(delayMs, 0), LONGEST_TIMER_MS)).unref()
    return () => clearTimeout(timer)
  },
}

/** Timers of this machine, and a time that may be another's: that of the database. */
export function clockOf(now: () => number): Clock {
  return { ...SYSTEM_CLOCK, now }
}
