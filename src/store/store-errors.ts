import { DrawbridgeError } from '../codex/index.ts'

/** Why a database was not opened, copied or checked. */
export type StoreErrorCode =
  /** Another process has this data folder; `details.holder` says which, as far as it is known. */
  | 'data-folder-in-use'
  /** A newer Drawbridge has been here; nothing was changed. */
  | 'database-too-new'
  | 'database-not-found'
  /** The system does not let us read or write it; it is not known to be damaged. */
  | 'database-unusable'
  | 'migration-failed'
  /** There is a file already, and it was not to be overwritten. */
  | 'backup-exists'
  | 'backup-failed'
  /** A place in a list that is not one of ours. */
  | 'bad-request'

export class StoreError extends DrawbridgeError {
  declare readonly code: StoreErrorCode
  /** More that a program can use. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: StoreErrorCode,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, { code, cause: options.cause })
    this.details = options.details ?? {}
  }
}
