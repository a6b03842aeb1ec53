// The signs by which a failure is told, in the order we trust them: codex's error info, then what an RPC error or a
// dying process says in the exact words codex uses.
import type { RpcError, TransportClosedError } from '../errors/index.ts'
import type { protocol } from '../protocol/index.ts'

export type FailureCode =
  | 'not-logged-in'
  | 'auth'
  | 'usage-limit'
  | 'rate-limit'
  | 'context-window'
  | 'model'
  | 'overloaded'
  | 'network'
  | 'unreachable'
  | 'sandbox'
  | 'policy'
  | 'bad-config'
  | 'unsupported'
  | 'codex-missing'
  | 'codex-crashed'
  | 'protocol'
  | 'deadline'
  | 'other'

const BY_INFO: Readonly<Record<string, FailureCode>> = {
  unauthorized: 'auth',
  usageLimitExceeded: 'usage-limit',
  sessionBudgetExceeded: 'usage-limit',
  rateLimitExceeded: 'rate-limit',
  contextWindowExceeded: 'context-window',
  serverOverloaded: 'overloaded',
  internalServerError: 'overloaded',
  flexUnavailable: 'overloaded',
  policyCapacityUnavailable: 'overloaded',
  modelNotFound: 'model',
  badRequest: 'model',
  sandboxError: 'sandbox',
  cyberPolicy: 'policy',
  misalignmentPolicyViolation: 'policy',
  tooManyDenials: 'policy',
}

export function ofErrorInfo(info: protocol.v2.CodexErrorInfo | null): FailureCode {
  if (info === null) return 'other'
  if (typeof info === 'string') return named(info)
  const [[name, detail] = ['', null]] = Object.entries(info)
  const status = (Object(detail) as { httpStatusCode?: unknown }).httpStatusCode
  if (typeof status === 'number') return ofHttpStatus(status)
  return name.startsWith('http') || name.startsWith('response') ? 'network' : named(name)
}

function named(name: string): FailureCode {
  return Object.hasOwn(BY_INFO, name) ? BY_INFO[name]! : 'other'
}

function ofHttpStatus(status: number): FailureCode {
  if (status === 401 || status === 403) return 'auth'
  if (status === 429) return 'rate-limit'
  if (status === 408) return 'network'
  return status >= 500 ? 'overloaded' : 'model'
}

/** Before 0.158 codex says "other" of an HTTP failure and the status only in words, always in these. */
export function ofStatusLine(message: string): FailureCode {
  const [, status] = /^unexpected status (\d{3}) /.exec(message) ?? []
  return status === undefined ? 'other' : ofHttpStatus(Number(status))
}

/** codex answers nearly everything with -32600 and says the rest in words; these are its words. */
const RPC_SIGNS: readonly (readonly [RegExp, FailureCode])[] = [
  [/^codex account authentication required/, 'auth'],
  [/^failed to load configuration/, 'bad-config'],
  [/requires experimentalApi capability$/, 'unsupported'],
  [/^Invalid request: unknown variant `[^`]*\/[^`]*`/, 'unsupported'],
  [/^Invalid request: /, 'protocol'],
]

export function ofRpcError({ rpcCode, rpcMessage }: RpcError): FailureCode {
  if (rpcCode === -32001) return 'overloaded'
  if (rpcCode === -32601) return 'unsupported'
  return RPC_SIGNS.find(([sign]) => sign.test(rpcMessage))?.[1] ?? 'other'
}

/** What codex writes when it refuses to start. stderr also holds other people's troubles, so only these count. */
const EXIT_SIGNS: readonly (readonly [RegExp, FailureCode])[] = [
  [
    /^Error: .*(?:is no longer supported|config\.toml|invalid configuration|failed to (?:load|parse) config)/i,
    'bad-config',
  ],
]

export function ofExit({ stderrTail, hasCodexEnded }: TransportClosedError): FailureCode {
  if (!hasCodexEnded) return 'unreachable'
  for (const line of stderrTail) {
    const sign = EXIT_SIGNS.find(([pattern]) => pattern.test(line))
    if (sign) return sign[1]
  }
  return 'codex-crashed'
}
