export interface PoolOptions {
  readonly url: string
  readonly poolSize: number
  /** 0: none. */
  readonly statementTimeoutMs: number
  /** A connection without an answer for this long is given up: longer than any statement may take. 0: never. */
  readonly replyTimeoutMs: number
  readonly connectTimeoutMs: number
  /** After this the server ends a session that does nothing in a transaction. 0: never. */
  readonly idleInTransactionMs: number
  /** What the server shows of us, unless the url says it. */
  readonly applicationName: string
}
