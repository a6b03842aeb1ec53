/**
 * A process that a recycled pid cannot impersonate. `start` is opaque: compare it, never read it.
 * It differs after a reboot and between pid namespaces.
 */
export interface ProcessIdentity {
  readonly pid: number
  readonly start: string
}

/** One living process as the operating system lists it. */
export interface ProcessFact extends ProcessIdentity {
  readonly parentPid: number
  /** The session leader's pid; null where the system does not tell. */
  readonly sessionPid: number | null
}

/** What one operating system can tell about its processes. Zombies count as gone. */
export interface ProcessTable {
  /** The living ones among these pids, at this moment: what a signal is checked against. */
  look(pids: readonly number[]): ProcessFact[]
  all(): Promise<ProcessFact[]>
  /** Those started with `name=value` in their environment, as far as we may read it. */
  withVariable(name: string, value: string): Promise<ProcessFact[]>
  /** What every `start` taken here and now begins with. */
  scope(): string
  /** A name of the session this process is in that no later session gets; null where the system has none. */
  sessionName(pid: number): string | null
}
