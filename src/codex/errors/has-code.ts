// Known by `code`, not by class: a program can hold two copies of this package, or run in a realm of its own, and then
// `instanceof` says no to errors that are ours.
import { types } from 'node:util'
import type {
  DrawbridgeError,
  RequestTimeoutError,
  RpcError,
  TransportClosedError,
  UnexpectedReplyError,
} from './errors.ts'
import type { ThreadHasWriterError } from './thread-errors.ts'

/** The errors whose code says that they carry more. */
interface ErrorsByCode {
  readonly 'transport-closed': TransportClosedError
  readonly 'rpc-error': RpcError
  readonly 'unexpected-reply': UnexpectedReplyError
  readonly 'request-timeout': RequestTimeoutError
  readonly 'thread-has-writer': ThreadHasWriterError
}

type ErrorOf<Code extends string> = Code extends keyof ErrorsByCode
  ? ErrorsByCode[Code]
  : DrawbridgeError & { readonly code: Code }

/** Whether an error is one of this package, of whichever copy, with one of these codes. */
export function hasCode<Code extends string>(
  error: unknown,
  ...codes: readonly [Code, ...Code[]]
): error is ErrorOf<Code> {
  return isDrawbridgeError(error) && (codes as readonly string[]).includes(error.code)
}

/** Whether an error is one of this package, of whichever copy. */
export function isDrawbridgeError(error: unknown): error is DrawbridgeError {
  if (!types.isNativeError(error)) return false
  const { code, retryable } = error as { code?: unknown; retryable?: unknown }
  return typeof code === 'string' && typeof retryable === 'boolean'
}
