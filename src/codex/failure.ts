// What went wrong with a turn, as a code to decide on. Only codex's own fields are read, never its prose.
import type { protocol } from './protocol/index.ts'

export type FailureCode =
  | 'auth'
  | 'usage-limit'
  | 'rate-limit'
  | 'context-window'
  | 'model'
  | 'network'
  | 'sandbox'
  | 'policy'
  | 'other'

/** Why a turn failed. `info` is what codex said, untouched. */
export interface TurnFailure {
  readonly code: FailureCode
  readonly message: string
  readonly info: protocol.v2.CodexErrorInfo | null
}

const CODES: Readonly<Record<string, FailureCode>> = {
  unauthorized: 'auth',
  usageLimitExceeded: 'usage-limit',
  sessionBudgetExceeded: 'usage-limit',
  rateLimitExceeded: 'rate-limit',
  contextWindowExceeded: 'context-window',
  serverOverloaded: 'model',
  internalServerError: 'model',
  modelNotFound: 'model',
  flexUnavailable: 'model',
  badRequest: 'model',
  sandboxError: 'sandbox',
  cyberPolicy: 'policy',
  misalignmentPolicyViolation: 'policy',
  tooManyDenials: 'policy',
}

export function turnFailure(error: Partial<protocol.v2.TurnError> | null): TurnFailure {
  const info = error?.codexErrorInfo ?? null
  return { code: failureCode(info), message: error?.message ?? 'codex gave no reason', info }
}

function failureCode(info: protocol.v2.CodexErrorInfo | null): FailureCode {
  if (info === null) return 'other'
  if (typeof info === 'string') return CODES[info] ?? 'other'
  const [[name, detail] = ['', null]] = Object.entries(info)
  const status = (Object(detail) as { httpStatusCode?: unknown }).httpStatusCode
  if (status === 401 || status === 403) return 'auth'
  if (status === 429) return 'rate-limit'
  if (typeof status === 'number') return 'model'
  return name.startsWith('http') || name.startsWith('response') ? 'network' : 'other'
}
