import { DrawbridgeError } from '../codex/index.ts'

export type WorkspaceErrorCode =
  | 'workspace-not-found'
  /** The task has several repositories; `details.repositories` are those that can be meant. */
  | 'repository-needed'
  /** The task has none of that name, or several; `details.repositories` are what it has. */
  | 'repository-not-found'
  /** It was removed, or its folder is gone. */
  | 'workspace-gone'
  /** It has work that is nowhere else, or differs from what the caller was shown; `details` has what would be lost. */
  | 'workspace-unmerged'
  /** A task works in it. */
  | 'workspace-busy'
  /** It is on the machine of another worker; `details.workerId` is whose. */
  | 'workspace-elsewhere'
  /** The work does not fit the branch it is to go to; `details.conflicts` are the files. Nothing was changed. */
  | 'apply-conflict'
  /** The user's own uncommitted changes are in the way; `details.files` are those. Nothing was changed. */
  | 'checkout-dirty'
  /** The branch has moved meanwhile. Nothing was changed. */
  | 'branch-moved'
  /** Only what is committed can be merged; `details.files` are not. */
  | 'uncommitted-work'
  | 'nothing-to-do'
  /** git is missing, too old, or said no; `details.stderr` are its words. */
  | 'git-failed'
  | 'snapshot-not-found'
  /** There is nothing that could be kept. */
  | 'snapshot-impossible'
  /** It is damaged or cut short, or was encrypted with another key. Nothing was changed. */
  | 'snapshot-damaged'
  /** There is no key to open it with. */
  | 'snapshot-key'
  /** It is being taken, or a restored workspace is still being made from it. */
  | 'snapshot-busy'

export class WorkspaceError extends DrawbridgeError {
  declare readonly code: WorkspaceErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: WorkspaceErrorCode,
    message: string,
    options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super(message, { code, retryable: false, cause: options.cause })
    this.details = options.details ?? {}
  }
}
