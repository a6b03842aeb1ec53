import { DrawbridgeError } from '../../codex/index.ts'

export type SshHostErrorCode =
  | 'ssh-not-installed'
  | 'ssh-destination-invalid'
  | 'ssh-auth-refused'
  | 'ssh-unreachable'
  | 'ssh-timed-out'
  | 'ssh-cut'
  | 'ssh-closed'
  | 'ssh-forward-refused'
  | 'host-key-unknown'
  | 'host-key-changed'
  | 'host-key-differs'
  | 'host-shell-unusable'
  | 'host-command-failed'
  | 'host-tools-missing'
  | 'host-unsupported'
  | 'host-no-room'
  | 'host-not-writable'
  | 'host-upload-broken'
  | 'host-server-failed'
  | 'host-server-other-version'

/** Something about a host that is reached with ssh. `hint` says what to do about it. */
export class SshHostError extends DrawbridgeError {
  declare readonly code: SshHostErrorCode
  /** The name of the host. */
  readonly host: string
  readonly hint: string

  constructor(
    message: string,
    options: { code: SshHostErrorCode; host: string; hint: string; retryable?: boolean; cause?: unknown },
  ) {
    super(message, options)
    this.host = options.host
    this.hint = options.hint
  }
}

export interface HostKey {
  /** Such as `ssh-ed25519`. */
  readonly type: string
  /** As ssh shows it: `SHA256:…`. */
  readonly fingerprint: string
}

/** The key of a host is not one that was confirmed. `keys` are what it offers now; empty when that cannot be told. */
export class HostKeyError extends SshHostError {
  readonly keys: readonly HostKey[]

  constructor(
    message: string,
    options: ConstructorParameters<typeof SshHostError>[1] & { readonly keys: readonly HostKey[] },
  ) {
    super(message, options)
    this.keys = options.keys
  }
}
