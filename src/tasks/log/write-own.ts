// One event of ours, in a change of its own.
import { type EventLog, type OwnEvents, taskRow } from '../../store/index.ts'

/** Never throws. */
export function writeOwn<Method extends 'drawbridge/tool-call' | 'drawbridge/incident'>(
  taskId: string,
  method: Method,
  event: OwnEvents[Method],
  { log, onError }: { log: Pick<EventLog, 'change'>; onError: (error: unknown) => void },
): void {
  log
    .change(async (change) => {
      // An event without its task would break the log.
      if (await taskRow(change.db, taskId)) change.emit(taskId, method, event)
    })
    .catch(onError)
}
