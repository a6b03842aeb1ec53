// An operation on a task as it travels between workers, and how it ended.
import { DrawbridgeError } from '../../codex/index.ts'
import { TaskError, type TaskErrorCode } from '../model/index.ts'

/** An operation on one task. What it is given and what it returns is plain JSON. */
export interface Command {
  readonly name: string
  readonly taskId: string
  readonly given: readonly unknown[]
  readonly actor: string
}

/** `moved`: the worker it was sent to does not own the task any more; nothing was done. */
export type Outcome =
  | { readonly value: unknown }
  | { readonly error: WrittenError }
  | { readonly moved: true }

interface WrittenError {
  readonly isOfTask: boolean
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>
}

/** null: an accident that its caller cannot do anything about, reported where it happened. */
export function writeError(error: unknown): WrittenError | null {
  if (!(error instanceof DrawbridgeError)) return null
  const { code, message, retryable } = error
  const isOfTask = error instanceof TaskError
  return { isOfTask, code, message, retryable, details: isOfTask ? error.details : {} }
}

export function readError({ isOfTask, code, message, retryable, details }: WrittenError): DrawbridgeError {
  return isOfTask
    ? new TaskError(code as TaskErrorCode, message, { details })
    : new DrawbridgeError(message, { code, retryable })
}

/** `isDone` false: it was not done and will not be. null: nobody can tell. */
export function unreachable(
  { name }: { readonly name: string },
  { isDone, taskId }: { isDone: false | null; taskId: string },
): TaskError {
  const what = isDone === false ? 'Nothing was done: try again' : 'It may have been done: look at the task'
  return new TaskError(
    'worker-unreachable',
    `the worker ${name}, which has the task, does not answer. ${what}`,
    {
      details: { worker: name, taskId, isDone },
    },
  )
}
