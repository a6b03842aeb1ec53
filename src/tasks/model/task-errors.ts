import { DrawbridgeError } from '../../codex/index.ts'

/** Why a call on the task service was refused. Doors decide on these, never on the text. */
export type TaskErrorCode =
  | 'task-not-found'
  | 'message-not-found'
  | 'upload-not-found'
  | 'approval-not-found'
  | 'rule-not-found'
  | 'notice-not-found'
  | 'event-not-found'
  | 'worker-not-found'
  | 'deliverable-not-found'
  | 'caller-message-not-found'
  /** Somebody answered it first; `details` has what it is now. */
  | 'deliverable-answered'
  | 'caller-message-answered'
  /** Somebody answered first, or the question no longer stands; `details.approval` is what it is now. */
  | 'approval-settled'
  /** The answer is not one this question can have. */
  | 'bad-answer'
  /** The request itself makes no sense: an unknown preset, a rule that cannot be read, a folder that is not there. */
  | 'bad-request'
  /** The same idempotency key with another request. */
  | 'idempotency-mismatch'
  /** Nothing runs that could be steered or interrupted. */
  | 'not-running'
  /** It must have ended first. */
  | 'task-running'
  /** There is no thread to go on with, or nothing left to do in it. */
  | 'not-resumable'
  /** This codex, or what it is set to, cannot do it. */
  | 'not-supported'
  /** Nobody trusts the folder, and without that it cannot be done. */
  | 'folder-untrusted'
  /** The caller's token does not allow it; the message says what would be needed. */
  | 'not-permitted'
  /** Too many tasks above it; `details.maxDepth` is the limit. */
  | 'too-deep'
  /** Another task that may write works there; `details.taskId` is which. */
  | 'folder-in-use'
  /** A hook failed that the task needs, or nobody knows whether it finished; `details.hook` is which. */
  | 'hook-failed'
  /** codex needs an OpenAI login and has none; `details.codexHome` is where, null for the default. */
  | 'not-logged-in'
  /** The worker that has the task does not answer; `details.isDone` says whether it was done: false, or null when nobody can tell. */
  | 'worker-unreachable'
  /** The service is shutting down, or has too much to do. */
  | 'unavailable'

export class TaskError extends DrawbridgeError {
  declare readonly code: TaskErrorCode
  /** More that a program can use. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: TaskErrorCode,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, {
      code,
      // What may have been done must not be repeated without a look.
      retryable:
        code === 'unavailable' || (code === 'worker-unreachable' && options.details?.isDone === false),
      cause: options.cause,
    })
    this.details = options.details ?? {}
  }
}

export function untrusted(cwd: string): TaskError {
  return new TaskError(
    'folder-untrusted',
    `full access, or a permission profile of your own, needs a trusted folder: look at ${cwd} with \`drawbridge trust\` first, or use workspace-write`,
  )
}
