import type { OnToolCall, ThreadTools } from '../../codex/index.ts'

/** The tools that tasks can get, as the service was told of them. */
export interface TaskTools {
  /**
   * What a new task gets: those it asks for, and those its labels bring. Throws for one that cannot be had, unless the
   * task may run elsewhere: then its worker looks when it begins.
   */
  namesFor(asked: AskedTools): readonly string[]
  /** For opening the thread of a task. Rejects when one of them cannot be had any more. */
  give(task: ToolTask, options: { readonly onCall: OnToolCall }): Promise<ThreadTools>
}

export interface AskedTools {
  readonly tools: readonly string[]
  readonly labels: readonly string[]
  readonly isHere: boolean
}

/** What tools may know of the task that has them. */
export interface ToolTask {
  readonly id: string
  /** By name. */
  readonly tools: readonly string[]
}

/** Built-in tools that only hand over and show what a task has anyway: they make no task wider. */
export const OUTWARD_TOOLS: readonly string[] = [
  ...['drawbridge_deliver', 'drawbridge_report', 'drawbridge_caller', 'drawbridge_caller_answers'],
]
