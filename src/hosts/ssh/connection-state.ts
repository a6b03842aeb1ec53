export type ConnectionState =
  | { readonly status: 'idle' | 'closed' }
  | { readonly status: 'connecting'; readonly attempt: number }
  | { readonly status: 'connected'; readonly since: number; readonly roundTripMs: number }
  | { readonly status: 'retrying'; readonly at: number; readonly why: Error }
  | { readonly status: 'broken'; readonly why: Error }

export interface ConnectionTimes {
  /** The first pause after a loss, and the longest one. */
  readonly retryBaseMs: number
  readonly retryMaxMs: number
  /** After so many failures in a row nobody tries by themselves for a while. */
  readonly breakAfter: number
  /** How long that is. */
  readonly brokenMs: number
  /** Somebody who asks a broken connection gets another try no sooner than this after the last one. */
  readonly askedAgainMs: number
  /** A connection that ends sooner counts as a failure. */
  readonly stableMs: number
  readonly aliveSeconds: number
  readonly connectMs: number
}

export const CONNECTION_TIMES: ConnectionTimes = {
  retryBaseMs: 500,
  retryMaxMs: 30_000,
  breakAfter: 8,
  brokenMs: 300_000,
  askedAgainMs: 5_000,
  stableMs: 10_000,
  aliveSeconds: 5,
  connectMs: 20_000,
}
