import { DrawbridgeError } from '../../codex/index.ts'

export type FileErrorCode =
  | 'file-not-found'
  /** The path, or a link on it, leads out of the task's folder. */
  | 'file-outside'
  /** A login, or the data folder of Drawbridge. */
  | 'file-protected'
  /** A pipe, a device, a socket; or a folder where a file is needed, or the other way round. */
  | 'not-a-file'
  /** The task's files are on the machine of another worker; `details.workerId` is whose. */
  | 'files-elsewhere'
  /** Commands of the task see named folders only, and the uploads are in none of them. */
  | 'files-confined'
  | 'file-too-large'
  | 'too-many-files'
  | 'file-type-refused'
  /** The sender stopped in the middle. Nothing was kept. */
  | 'upload-incomplete'
  | 'disk-full'

export class FileError extends DrawbridgeError {
  declare readonly code: FileErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: FileErrorCode,
    message: string,
    options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super(message, { code, retryable: false, cause: options.cause })
    this.details = options.details ?? {}
  }
}
