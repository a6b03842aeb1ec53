import type { Exchange } from '../../store/index.ts'

/** What this service is to the others that share its store. */
export interface FleetOptions {
  /** The same after a restart: it belongs to the data folder. */
  readonly id: string
  /** Where its data folder is, on which start of which machine: copies of the folder differ in it. */
  readonly place: string
  /** What people call it. */
  readonly name: string
  readonly machine: string
  readonly labels: readonly string[]
  /** Closed after the task service. */
  readonly exchange: Exchange
  /** Where its API is reached; null while it does not listen yet. */
  readonly url: () => string | null
  /** Others may declare it lost when it has not been heard of for so long. */
  readonly leaseMs: number
  /** How often it looks for what it was not told of. */
  readonly pollMs: number
}

export const FLEET_DEFAULTS = { leaseMs: 30_000, pollMs: 1_000 }
