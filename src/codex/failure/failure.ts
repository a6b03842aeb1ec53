// What went wrong, as something to decide on. One function for every way a thing can go wrong; codex's own fields
// decide, its prose only where there is nothing else, and then only by its exact phrases.
import { spokenText } from '../../util/spoken-text.ts'
import { DrawbridgeError, RequestTimeoutError, RpcError, TransportClosedError } from '../errors.ts'
import type { protocol } from '../protocol/index.ts'
import { HINTS } from './hints.ts'
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
    hint: HINTS[code],
    retryable: RETRYABLE.has(code),
    resumable: !NOT_RESUMABLE.has(code),
    resetAt: isLimit ? (resetAt ?? delayIn(messageOf(error))) : null,
    stderrTail: error instanceof TransportClosedError ? error.stderrTail.slice(-STDERR_LINES) : [],
    info: isTurnError(error) ? (error.codexErrorInfo ?? null) : null,
  }
}

function codeOf(error: unknown): FailureCode {
  if (error instanceof RpcError) return ofRpcError(error)
  if (error instanceof RequestTimeoutError) return 'deadline'
  if (error instanceof TransportClosedError) return ofExit(error)
  if (error instanceof DrawbridgeError) return ofOurs(error.code)
  if (error instanceof Error) return error.name === 'TimeoutError' ? 'deadline' : 'other'
  return isTurnError(error) ? ofTurnError(error) : 'other'
}

function ofTurnError({ codexErrorInfo, message }: TurnError): FailureCode {
  const code = ofErrorInfo(codexErrorInfo ?? null)
  return code === 'other' && typeof message === 'string' ? ofStatusLine(message) : code
}

/** Errors of hosts and of the client itself: their own codes say enough. */
function ofOurs(code: string): FailureCode {
  if (code === 'app-server-crash-loop') return 'codex-crashed'
  if (code.startsWith('codex-')) return 'codex-missing'
  if (code.startsWith('app-server-')) return 'network'
  if (code === 'weaker-sandbox' || code === 'unsafe-folder' || code === 'folder-untrusted') return 'sandbox'
  if (code === 'bad-config' || code === 'not-logged-in') return code
  if (code === 'unsupported' || code === 'experimental-method') return 'unsupported'
  if (code === 'unexpected-reply' || code === 'resumed-other-thread') return 'protocol'
  return 'other'
}

function messageOf(error: unknown): string {
  const { message } = Object(error) as { message?: unknown }
  return typeof message === 'string' && message !== '' ? spokenText(message) : 'codex gave no reason'
}

/** A rate limit that says for how long: "Please try again in 11.054s." */
function delayIn(message: string): Date | null {
  const [, amount, unit] = /try again in (\d+(?:\.\d+)?)\s?(ms|s|m)\b/i.exec(message) ?? []
  if (!amount) return null
  const ms = Number(amount) * { ms: 1, s: 1_000, m: 60_000 }[unit!.toLowerCase() as 'ms' | 's' | 'm']
  return new Date(Date.now() + ms)
}

function isTurnError(error: unknown): error is TurnError {
  return typeof error === 'object' && error !== null && !(error instanceof Error)
}
