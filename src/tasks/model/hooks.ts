// What the operator, or the program that embeds tasks, wants to run around them. Neither a repository nor a named token can
// name any. The sub-room `hooks` runs them; how a command is run is given to it.
import type { HookFacts } from './hook-facts.ts'

export type HookEvent = 'before' | 'after' | 'onDeliverable' | 'onUpload' | 'onQuestion'

export interface TaskHook {
  /** Once among all hooks; runs are on record by it. */
  readonly name: string
  readonly on: HookEvent
  /** What is run, as people read it. Default: the name. */
  readonly title?: string | undefined
  /** Only for tasks with one of these labels. Default: for all. */
  readonly labels?: readonly string[] | undefined
  /** Only for tasks of this machine that work in one of these folders, or in a workspace made from one. Default: for all. */
  readonly folders?: readonly string[] | undefined
  /** Only for tasks whose folder a person trusts. Default: no. */
  readonly onlyTrusted?: boolean | undefined
  /** Default: 10 minutes for `before`, one minute for the others. */
  readonly timeoutMs?: number | undefined
  /**
   * What follows when it fails. `stop`: the hooks after it do not run for this occasion and, with `before`, the task
   * fails. `go on`: nothing. Default: `stop` for `before`, else `go on`.
   */
  readonly onFailure?: 'stop' | 'go on' | undefined
  /** It may run again when nobody knows whether it has finished. Default: no. */
  readonly repeatable?: boolean | undefined
  /** Resolves when it is done, rejects when it failed; `exitCode` of the error is told. */
  run(facts: HookFacts, context: HookContext): unknown
}

export interface HookContext {
  /** Of this attempt alone; in the environment of processes, so that they are found again. */
  readonly marker: string
  /** Where the task works. */
  readonly cwd: string
  /** The facts as variables, `DRAWBRIDGE_…`. */
  readonly env: Readonly<Record<string, string>>
  /** Aborts at the deadline, when the task is interrupted, and when the service stops. */
  readonly signal: AbortSignal
  /** Into the log of the task. Of a long output the beginning and the end are kept; secrets are taken out. */
  readonly write: (text: string, stream?: 'stdout' | 'stderr') => void
  /** A process was started: should the service be killed, its next start ends it. */
  readonly started: (process: HookProcess) => void
}

export interface HookProcess {
  readonly pid: number
  readonly start: string
  readonly session: string | null
}

export interface TaskHooks {
  readonly hooks: readonly TaskHook[]
  /** Ends what a run has left behind whose service is gone. Absent: the hooks start no processes. */
  endLeftBehind?(run: { readonly marker: string; readonly process: HookProcess | null }): Promise<void>
}

export const NO_HOOKS: TaskHooks = { hooks: [] }
