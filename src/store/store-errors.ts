import { DrawbridgeError } from '../codex/index.ts'

/** Why a database was not opened, copied, moved or checked. */
export type StoreErrorCode =
  /** Another process has this data folder; `details.holder` says which, as far as it is known. */
  | 'data-folder-in-use'
  /** Another running service has the worker id of this data folder, which is a copy of its own. */
  | 'worker-id-in-use'
  /** A newer Drawbridge has been here; nothing was changed. */
  | 'database-too-new'
  | 'database-not-found'
  /** The server does not answer, or not as it must (TLS). */
  | 'database-unreachable'
  /** The server refuses the user or the password. */
  | 'database-login-failed'
  /** The server has no connection left for us. */
  | 'database-full'
  /** The server refused a statement for now: its disk is full, it is read-only, or the statement took too long. */
  | 'database-refused'
  /** PostgreSQL before 14. */
  | 'database-too-old'
  /** The address is not one of PostgreSQL's, or says something that is not supported. */
  | 'bad-database-url'
  /** The system does not let us read or write it; it is not known to be damaged. */
  | 'database-unusable'
  | 'migration-failed'
  /** A store is moved only between databases of the newest schema. */
  | 'schema-not-newest'
  /** Another session writes to it. */
  | 'database-in-use'
  /** A store is moved only into an empty one. */
  | 'target-not-empty'
  /** Rows could not be copied, or differ in the target; `details.table` says which. */
  | 'move-failed'
  /** There is a file already, and it was not to be overwritten. */
  | 'backup-exists'
  | 'backup-failed'
  /** The disk with the deliverables. Nothing was kept. */
  | 'disk-full'
  /** A place in a list that is not one of ours. */
  | 'bad-request'

export class StoreError extends DrawbridgeError {
  declare readonly code: StoreErrorCode
  /** More that a program can use. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: StoreErrorCode,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { code, retryable: options.retryable ?? false, cause: options.cause })
    this.details = options.details ?? {}
  }
}
