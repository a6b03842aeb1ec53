import type { Protection } from './policy/index.ts'
import type { RealPath } from './rules/index.ts'
import type { Channel } from './wire/index.ts'

/** Where codex runs. The implementations live in `hosts/`; the client only needs this much of them. */
export interface Host {
  /** For messages: `local`, `unix:/run/…`, `ssh:build-box`. */
  readonly name: string
  /** Another machine, by the name people know it by: questions say it. Absent: this one. */
  readonly machine?: string
  /** Starts or reaches an app-server. Nothing is left behind when this rejects. */
  open(options: { signal?: AbortSignal }): Promise<AppServer>
  /** Absent: no rule about paths allows anything. */
  readonly realPath?: PathFacts['realPath']
  /** Absent: a folder or image that is not there is only noticed by codex. */
  readonly kindOf?: PathFacts['kindOf']
}

/** What can be told of paths on the machine where a thread's commands run. It may be far away: look up once. */
export interface PathFacts {
  /** Where an absolute path really leads. `~` is the home folder of the user that commands run as. */
  readonly realPath: RealPath
  /** What is at a path; null when that cannot be told. Never rejects. */
  readonly kindOf: (place: string) => Promise<PathKind | null>
}

/** The real path where that can be told, else the path itself. */
export async function realPathOf(place: string, { realPath }: Pick<PathFacts, 'realPath'>): Promise<string> {
  return (await realPath(place).catch(() => null)) ?? place
}

export const NO_PATH_FACTS: PathFacts = { realPath: async () => null, kindOf: async () => null }

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
