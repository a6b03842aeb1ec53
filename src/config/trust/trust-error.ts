import { DrawbridgeError } from '../../codex/index.ts'

type TrustErrorCode = 'trust-damaged' | 'trust-busy' | 'trust-unreadable'

/** The record of trusted folders cannot be used, or a folder cannot be trusted as it is. */
export class TrustError extends DrawbridgeError {
  declare readonly code: TrustErrorCode

  constructor(
    code: TrustErrorCode,
    message: string,
    options: { isRetryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { code, retryable: options.isRetryable ?? false, cause: options.cause })
  }
}
