// Every number the client uses when the caller names none. Nothing below the doors invents its own.
import type { ConnectionOptions } from './wire/index.ts'

/** This package's version; a test holds it to package.json. */
export const VERSION = '0.1.0'

export const CLIENT_INFO = { name: 'drawbridge', title: 'Drawbridge', version: VERSION } as const

const REQUEST_TIMEOUT_MS = 30_000
const REQUEST_TIMEOUTS_MS: Readonly<Record<string, number>> = {
  initialize: 10_000,
  'thread/start': 15_000,
  'turn/start': 10_000,
  'turn/interrupt': 5_000,
}

export function requestTimeoutMs(method: string): number {
  return REQUEST_TIMEOUTS_MS[method] ?? REQUEST_TIMEOUT_MS
}

/** codex loses replies for good when several hundred requests come at once on stdio; 100 never did. */
export const CONNECTION: ConnectionOptions = {
  maxInFlight: 100,
  overload: { maxRetries: 6, baseMs: 50, maxMs: 2_000 },
  random: Math.random,
}

/** How many notifications wait for a slow consumer before deltas are left out. */
export const MAX_BUFFERED_NOTIFICATIONS = 50_000

/** How long an interrupted turn may take to say that it ended before we say so ourselves. */
export const INTERRUPT_SETTLE_MS = 5_000

/** How soon an interrupt that codex refused is sent again. */
export const INTERRUPT_RETRY = { baseMs: 20, maxMs: 500, random: Math.random } as const

/** When a silent turn makes us ask codex about it, and how often then. */
export const LOOK = { afterMs: 60_000, everyMs: 30_000 } as const

/** How many turns of a thread are remembered, so that what comes late for an ended one still finds it. */
export const MAX_TURNS_REMEMBERED = 64

/** How many ends of unknown turns a thread keeps for a turn that is being joined. */
export const MAX_ENDS_KEPT = 8

/** How many client message ids of steers are remembered per thread. */
export const MAX_STEERS_REMEMBERED = 100

/** How long a turn that codex announces without its id may take to appear. */
export const TURN_APPEARS_MS = 10_000

/** codex refuses more text than this in one turn's input. */
export const MAX_INPUT_CHARACTERS = 1_048_576
