import { DrawbridgeError } from '../../codex/index.ts'

export type ConfigErrorCode =
  | 'config-broken'
  | 'config-busy'
  | 'config-changed'
  | 'config-not-writable'
  | 'config-refused'
  | 'nothing-to-undo'

/** Codex's config.toml cannot be changed as wanted. It is as it was. */
export class ConfigError extends DrawbridgeError {
  declare readonly code: ConfigErrorCode

  constructor(
    code: ConfigErrorCode,
    message: string,
    options: { isRetryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, { code, retryable: options.isRetryable ?? false, cause: options.cause })
  }
}
