// What went wrong, as something to decide on. One function for every way a thing can go wrong; codex's own fields
// decide, its prose only where there is nothing else, and then only by its exact phrases.
import { types } from 'node:util'
import { spokenText } from '../../util/spoken-text.ts'
import { type DrawbridgeError, hasCode, isDrawbridgeError } from '../errors/index.ts'
import type { protocol } from '../protocol/index.ts'
import { HINTS } from './hints.ts'
import { resetTimeIn } from './reset-time.ts'
import { type FailureCode, ofErrorInfo, ofExit, ofRpcError, ofStatusLine } from './signs.ts'

/** Why something failed and what to do about it. */
export interface Failure {
  readonly code: FailureCode
  readonly message: string
  /** What a person can do about it. */
  readonly hint: string
  /** Whether the same thing may succeed later with nothing changed. */
  readonly retryable: boolean
  /** Whether the thread can take another turn, here or after a resume. */
  readonly resumable: boolean
  /** When a limit ends; null when codex did not say. */
  readonly resetAt: Date | null
  /** The last lines codex wrote to stderr before it died; empty for everything else. */
  readonly stderrTail: readonly string[]
  /** `codexErrorInfo` as codex sent it; null when there was none. */
  readonly info: protocol.v2.CodexErrorInfo | null
}

/** A failed turn as `turn/completed` and the `error` notification tell it. */
export type TurnError = Partial<protocol.v2.TurnError>

const STDERR_LINES = 12

const RETRYABLE: ReadonlySet<FailureCode> = new Set([
  'usage-limit',
  'rate-limit',
  'network',
  'unreachable',
  'overloaded',
  'codex-crashed',
  'deadline',
])
const NOT_RESUMABLE: ReadonlySet<FailureCode> = new Set([
  'unsupported',
  'codex-missing',
  'bad-config',
  'protocol',
])

/** Turns an error, thrown or told by codex, into a failure. `resetAt` is what the client knows of the limits. */
export function toFailure(error: unknown, { resetAt = null }: { resetAt?: Date | null } = {}): Failure {
  const code = codeOf(error)
  const isLimit = code === 'usage-limit' || code === 'rate-limit'
  return {
    code,
    message: messageOf(error),
    hint: ownHint(error) ?? HINTS[code],
    retryable: isRetryable(error, code),
    resumable: !NOT_RESUMABLE.has(code) && !hasCode(error, 'nothing-to-resume'),
    resetAt: isLimit ? (resetAt ?? resetTimeIn(rawMessage(error) ?? '')) : null,
    stderrTail: hasCode(error, 'transport-closed') ? error.stderrTail.slice(-STDERR_LINES) : [],
    info: isTurnError(error) ? (error.codexErrorInfo ?? null) : null,
  }
}

function codeOf(error: unknown): FailureCode {
  if (hasCode(error, 'rpc-error')) return ofRpcError(error)
  if (hasCode(error, 'transport-closed')) return ofExit(error)
  if (isDrawbridgeError(error)) return ofOurs(error)
  if (isThrown(error)) return error.name === 'TimeoutError' ? 'deadline' : 'other'
  return isTurnError(error) ? ofTurnError(error) : 'other'
}

function ofTurnError({ codexErrorInfo, message }: TurnError): FailureCode {
  const code = ofErrorInfo(codexErrorInfo ?? null)
  return code === 'other' && typeof message === 'string' ? ofStatusLine(message) : code
}

/** Errors of hosts and of the client itself: their own codes say enough. */
function ofOurs({ code }: DrawbridgeError): FailureCode {
  if (code === 'request-timeout') return 'deadline'
  if (code === 'app-server-crash-loop') return 'codex-crashed'
  if (code === 'codex-home-not-writable') return 'other'
  if (code.startsWith('codex-')) return 'codex-missing'
  if (code.startsWith('app-server-')) return 'unreachable'
  if (code === 'weaker-sandbox' || code === 'unsafe-folder' || code === 'folder-untrusted') return 'sandbox'
  if (code === 'bad-config' || code === 'not-logged-in') return code
  if (code === 'unsupported' || code === 'experimental-method') return 'unsupported'
  if (code === 'unexpected-reply' || code === 'resumed-other-thread') return 'protocol'
  return 'other'
}

/** An error that names its own remedy knows better than its kind. */
function ownHint(error: unknown): string | null {
  const { hint } = Object(error) as { hint?: unknown }
  return isDrawbridgeError(error) && typeof hint === 'string' ? hint : null
}

/** Of an app-server that cannot be reached the error itself tells: a refused token stays refused. */
function isRetryable(error: unknown, code: FailureCode): boolean {
  if (!isDrawbridgeError(error)) return RETRYABLE.has(code)
  return error.retryable || (RETRYABLE.has(code) && !error.code.startsWith('app-server-'))
}

function messageOf(error: unknown): string {
  const message = rawMessage(error)
  return message === null ? 'codex gave no reason' : spokenText(message)
}

function rawMessage(error: unknown): string | null {
  const { message } = Object(error) as { message?: unknown }
  return typeof message === 'string' && message !== '' ? message : null
}

function isTurnError(error: unknown): error is TurnError {
  return typeof error === 'object' && error !== null && !isThrown(error)
}

/** DOMExceptions, such as a signal's timeout, are no native errors. */
function isThrown(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error
}
