import type { Turn } from './turn.ts'
import type { QueuedTurn } from './turn-queue.ts'

export interface SteerOptions {
  readonly whenStale: 'queue' | 'error'
  readonly clientMessageId?: string | undefined
}

/** What became of input sent to a running turn. */
export type Steered = { readonly turn: Turn } | { readonly queued: QueuedTurn }
