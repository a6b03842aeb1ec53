// Why an operation ended in the middle.
import type { LeaseLostError } from '../store/index.ts'
import { TaskError } from './model/index.ts'

/** A call was under way when this worker was declared lost: of what it consists of, some may be stored. */
export function cutOff(cause: LeaseLostError): TaskError {
  const message =
    'this worker was cut off from the database in the middle of it. It may have been done: look before you try again'
  return new TaskError('worker-unreachable', message, { details: { isDone: null }, cause })
}

export function stopping(): TaskError {
  return new TaskError('unavailable', 'the service is stopping: look at the task before you repeat this')
}
