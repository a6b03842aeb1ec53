import { DrawbridgeError } from '../codex/index.ts'

export type AppServerUnreachableCode =
  | 'app-server-unreachable'
  | 'app-server-connect-timed-out'
  | 'app-server-unauthorized'
  | 'app-server-forbidden'
  | 'app-server-refused'
  | 'app-server-address-refused'

/** No connection to a running app-server could be made. `hint` says what to do about it. */
export class AppServerUnreachableError extends DrawbridgeError {
  declare readonly code: AppServerUnreachableCode
  readonly hint: string

  constructor(
    message: string,
    options: { code: AppServerUnreachableCode; hint: string; retryable?: boolean; cause?: unknown },
  ) {
    super(message, options)
    this.hint = options.hint
  }
}
