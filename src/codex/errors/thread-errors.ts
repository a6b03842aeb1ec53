// What can stand between a caller and a thread. codex says these things only in words; they are matched here and
// nowhere else.
import { DrawbridgeError } from './errors.ts'
import { hasCode } from './has-code.ts'

export class ThreadBusyError extends DrawbridgeError {
  constructor(threadId: string) {
    super(`thread ${threadId} is busy: steer the running turn, queue this one, or wait`, {
      code: 'thread-busy',
    })
  }
}

/** The turn to steer is no longer the active one, or takes no input. */
export class StaleTurnError extends DrawbridgeError {
  constructor(threadId: string, cause?: unknown) {
    super(`thread ${threadId} has no turn that can be steered: start or queue one`, {
      code: 'stale-turn',
      cause,
    })
  }
}

/** codex keeps a thread from its first turn on, and an ephemeral one not at all. */
export class NothingToResumeError extends DrawbridgeError {
  constructor(threadId: string, cause: unknown) {
    super(
      `there is nothing to resume in thread ${threadId}: it is unknown here, never had a turn, or was ephemeral. Start a new one`,
      { code: 'nothing-to-resume', cause },
    )
  }
}

/** Another codex process has the thread open; since 0.150 only one may write to it. */
export class ThreadHasWriterError extends DrawbridgeError {
  readonly choices = ['wait', 'fork'] as const

  constructor(threadId: string, cause: unknown) {
    super(
      `thread ${threadId} is open in another codex process: wait until that one has ended, or fork the thread`,
      { code: 'thread-has-writer', retryable: true, cause },
    )
  }
}

export class ThreadArchivedError extends DrawbridgeError {
  constructor(threadId: string, cause: unknown) {
    super(`thread ${threadId} is archived: unarchive it first`, { code: 'thread-archived', cause })
  }
}

export class ResumedOtherThreadError extends DrawbridgeError {
  constructor(asked: string, got: string) {
    super(`codex was asked to resume thread ${asked} and opened ${got}`, { code: 'resumed-other-thread' })
  }
}

/** Why a thread could not be opened, as a type where codex's words allow it. */
export function openingError(threadId: string, error: unknown): unknown {
  if (!hasCode(error, 'rpc-error')) return error
  const words = error.rpcMessage
  // A process that was killed right after it began a thread leaves an empty file.
  if (/no rollout found|thread not loaded|list_turns is not supported yet|rollout at .* is empty/.test(words))
    return new NothingToResumeError(threadId, error)
  if (/already has an active writer/.test(words)) return new ThreadHasWriterError(threadId, error)
  if (/is archived/.test(words)) return new ThreadArchivedError(threadId, error)
  return error
}

/** codex has unloaded the thread: resume it. Nothing of the request was done. */
export function isThreadGone(error: unknown): boolean {
  return hasCode(error, 'rpc-error') && /thread not found/.test(error.rpcMessage)
}

export function isStaleTurn(error: unknown): boolean {
  return (
    hasCode(error, 'rpc-error') &&
    /no active turn to steer|expected active turn id|(?:cannot|not) (?:be )?steer/i.test(error.rpcMessage)
  )
}
