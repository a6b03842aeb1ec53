// Calls of the host program's tools, as events in the log of the task that has them.
import type { ToolCall } from '../../codex/index.ts'
import type { EventLog } from '../../store/index.ts'
import { writeOwn } from './write-own.ts'

/** Never throws. */
export function writeToolCall(
  taskId: string,
  call: ToolCall,
  { log, onError }: { log: Pick<EventLog, 'change'>; onError: (error: unknown) => void },
): void {
  const { threadId: _, startedAt: __, ...event } = call
  writeOwn(taskId, 'drawbridge/tool-call', event, { log, onError })
}
