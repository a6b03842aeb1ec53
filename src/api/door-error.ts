import { DrawbridgeError } from '../codex/index.ts'

/** Why the door itself refused, before or besides the task service. */
export type DoorCode =
  | 'bad-request'
  | 'unauthorized'
  | 'token-required'
  | 'foreign-origin'
  | 'unknown-host'
  | 'not-found'
  | 'method-not-allowed'
  | 'body-too-large'
  | 'unsupported-media-type'
  | 'too-many-requests'
  | 'too-many-streams'
  | 'not-supported'
  | 'unavailable'
  /** The store that says who is let in does not answer. */
  | 'database-unreachable'
  | 'deadline'
  | 'trust-changed'
  /** A named token may not do this. */
  | 'not-permitted'
  /** Another token has this name. */
  | 'name-taken'

export class DoorError extends DrawbridgeError {
  declare readonly code: DoorCode
  readonly details: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: DoorCode,
    message: string,
    options: {
      details?: Readonly<Record<string, unknown>>
      headers?: Readonly<Record<string, string>>
      cause?: unknown
    } = {},
  ) {
    super(message, { code, cause: options.cause })
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
  }
}
