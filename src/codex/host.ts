import type { Protection } from './policy/index.ts'
import type { Channel } from './wire/index.ts'

/** Where codex runs. The implementations live in `hosts/`; the client only needs this much of them. */
export interface Host {
  /** For messages: `local`, `unix:/run/…`, `ssh:build-box`. */
  readonly name: string
  /** Starts or reaches an app-server. Nothing is left behind when this rejects. */
  open(options: { signal?: AbortSignal }): Promise<AppServer>
  /**
   * Where an absolute path really leads on the machine codex runs on; null when that cannot be told. Without it no rule
   * about paths allows anything.
   */
  readonly realPath?: (place: string) => string | null
  /**
   * What is at a path on the machine codex runs on; null when that cannot be told. Without it a folder or image that is
   * not there is only noticed by codex.
   */
  readonly kindOf?: (place: string) => PathKind | null
}

/** What a path leads to. */
export type PathKind = 'file' | 'folder' | 'other' | 'missing'

/** One codex process (or the way to one), not yet spoken to. */
export interface AppServer {
  readonly channel: Channel
  /** From `codex --version`; null where only the handshake can tell. */
  readonly codexVersion: string | null
  /** null when the process is not ours. */
  readonly pid: number | null
  /** The newest stderr lines, oldest first; empty when the process is not ours. */
  stderrTail(lines?: number): readonly string[]
  /** What keeps commands in untrusted folders from logins; absent or null where the process was started without. */
  readonly protection?: Protection | null
  /** Whether codex, and what it is doing, goes on after `close()`: then that only ends the way to it. Absent: it does not. */
  readonly outlivesUs?: boolean
  /** Ends the process and everything it started, or only the way to it when it is not ours. Idempotent. */
  close(): Promise<void>
}
