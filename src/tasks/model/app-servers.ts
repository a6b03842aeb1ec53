// What tasks need of whatever runs codex. `hosts` has it; the composition root introduces them.
import type { Host } from '../../codex/index.ts'

/** Which codex, on which home, for which machine. Tasks with the same key share an app-server. */
export interface AppServerKey {
  /** null: the default. */
  readonly codexPath: string | null
  /** null: the default. */
  readonly codexHome: string | null
  /**
   * The host in exec mode whose tasks it works for; null: those that work on its own machine. Codex offers a machine that it
   * was told of to every thread that it opens.
   */
  readonly execHost: string | null
}

/** The default codex, for tasks that work on its own machine. */
export const OWN_CODEX: AppServerKey = { codexPath: null, codexHome: null, execHost: null }

export interface AppServers {
  /** Those that an earlier service left running, taken over; what cannot be taken over has been ended. Call first. */
  adopt(options: { signal?: AbortSignal }): Promise<readonly RunningAppServer[]>
  /** The one new threads of this key go to; started when there is none. Rejects with the reason it cannot be had. */
  /** The same key for the same codex and home, however they are written; by it they are stored and compared. */
  canonical(key: AppServerKey): AppServerKey
  get(key: AppServerKey, options: { signal?: AbortSignal }): Promise<RunningAppServer>
  list(): readonly AppServerFacts[]
  /** Lets go of all without ending those that can outlive us; ends the rest. */
  release(): Promise<void>
}

/** One codex process. */
export interface RunningAppServer {
  /** The same after the service was restarted. */
  readonly id: string
  readonly key: AppServerKey
  /** Opens a connection to it. Closing that leaves the process alone where `outlivesUs`. */
  readonly host: Host
  /** Its turns go on while nobody is connected. */
  readonly outlivesUs: boolean
  /** Where other clients reach it; absent or null where only we do. */
  readonly socket?: {
    readonly path: string
    readonly codexPath: string
    readonly codexVersion: string
  } | null
  /** Takes no new threads: it is replaced as soon as nothing holds it. */
  readonly isDraining: boolean
  isAlive(): boolean
  /** It takes no new threads from now on, and ends when nothing holds it. */
  drain(why: string): void
  /** Settles when the process is gone, by whatever cause. */
  readonly ended: Promise<AppServerEnd>
  /** While held it is not ended for being idle or too large. Returns how to let go. */
  hold(): () => void
}

export interface AppServerEnd {
  /** One sentence: exit code or signal, and what was on stderr last. */
  readonly reason: string
  readonly stderrTail: readonly string[]
}

/** For people who operate it. */
export interface AppServerFacts {
  readonly id: string
  readonly pid: number | null
  readonly key: AppServerKey
  readonly codexVersion: string | null
  readonly startedAt: number
  readonly state: 'starting' | 'running' | 'draining'
  /** How many need it now: a turn that runs is one. */
  readonly holds: number
  /** null where the system does not tell. */
  readonly memoryBytes: number | null
}

export interface AppServerStatus extends AppServerFacts {
  /** How many threads of our tasks are open in it, whether a turn runs in them or not. */
  readonly threads: number
}
