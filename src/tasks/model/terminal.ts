import type { PresetName, ThreadPolicy } from '../../codex/index.ts'
import type { Task } from './task.ts'
import type { Caller } from './task-service.ts'

/** How codex's own terminal reaches the thread of a task. A connection to an app-server equals a shell. */
export interface Terminal {
  readonly taskId: string
  readonly threadId: string
  readonly cwd: string
  readonly socketPath: string
  readonly codexPath: string
  readonly codexVersion: string
  readonly codexHome: string
  /** The name of the machine the socket is on. */
  readonly machine: string
}

/** A task that begins in a terminal, without a prompt. */
export interface OpenTask {
  readonly cwd: string
  readonly title?: string | undefined
  readonly codexPath?: string | undefined
  readonly codexHome?: string | undefined
  readonly policy?: ThreadPolicy | undefined
  readonly preset?: PresetName | undefined
  readonly rules?: readonly string[] | undefined
  readonly labels?: readonly string[] | undefined
  readonly notify?: readonly string[] | undefined
}

export interface TaskTerminals {
  /** Opens the thread of a task for a terminal, and says where it is. Its app-server is kept for a minute. */
  attach(taskId: string, caller: Caller): Promise<Terminal>
  /** A terminal is still there: its app-server is kept for another minute. */
  keep(taskId: string, caller: Caller): Promise<void>
  /** A new task on this machine: idle, with an open thread. */
  open(request: OpenTask, caller: Caller): Promise<Task>
}
