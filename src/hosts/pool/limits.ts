export interface AppServerLimits {
  /** All together, those that are being replaced included. */
  readonly maxAppServers: number
  /** One that nobody holds is ended after this. */
  readonly idleMs: number
  /** One that takes more is replaced: it gets no new threads, and is ended when nobody holds it any more. */
  readonly maxMemoryBytes: number
  /** One that has a larger part of its descriptors open is replaced in the same way. */
  readonly maxDescriptorShare: number
  /** A thread that nobody follows and in which nothing runs is unloaded after this, with its descriptors (codex: 30 minutes). */
  readonly unloadThreadsAfterSecs: number
  /** How often the app-servers are looked at; null: only when `look` is called. */
  readonly lookEveryMs: number | null
  /** This many unexpected ends within that time, and codex is not started again before the oldest is that long ago. */
  readonly crashLoop: { readonly count: number; readonly withinMs: number }
  readonly startTimeoutMs: number
  /** One that an earlier service left has this long to shake hands. */
  readonly adoptTimeoutMs: number
  readonly pingEveryMs: number
}

export const DEFAULT_LIMITS: AppServerLimits = {
  maxAppServers: 8,
  idleMs: 10 * 60_000,
  maxMemoryBytes: 1.5 * 1024 ** 3,
  maxDescriptorShare: 0.5,
  unloadThreadsAfterSecs: 10,
  lookEveryMs: 15_000,
  crashLoop: { count: 5, withinMs: 5 * 60_000 },
  startTimeoutMs: 30_000,
  adoptTimeoutMs: 10_000,
  pingEveryMs: 15_000,
}
