import { useEffect, useState, useSyncExternalStore } from 'react'
import { type LogView, TaskLog } from '../transcript/task-log.ts'

/** The log of a task while somebody looks at it. */
export function useTaskLog(
  taskId: string,
  threadId: string | null,
): { readonly view: LogView; readonly log: TaskLog } {
  const [log] = useState(() => new TaskLog(taskId, threadId))
  const view = useSyncExternalStore(log.subscribe, log.view)
  useEffect(() => {
    void log.open()
    return () => log.close()
  }, [log])
  return { view, log }
}
