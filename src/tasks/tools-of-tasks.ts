// The tools that threads of tasks are opened with.
import type { OnToolCall, ToolCall } from '../codex/index.ts'
import type { ToolsOf } from './link/index.ts'
import { type AskedTools, hostOfHome, TaskError, type TaskTools } from './model/index.ts'

/** A codex that runs on a host gets none: with them it would be sent what they are reached with. */
export function toolsOfTasks(
  tools: Pick<TaskTools, 'give'> | undefined,
  write: (taskId: string, call: ToolCall) => void,
): ToolsOf {
  return async ({ id, tools: names, codex_home: codexHome }) => {
    const task = { id, tools: JSON.parse(names) as string[] }
    if (task.tools.length === 0 || hostOfHome(codexHome) !== null) return null
    if (!tools) throw new TaskError('not-supported', `this service has no tool ${task.tools[0]}`)
    const onCall: OnToolCall = (call) => write(id, call)
    return tools.give(task, { onCall })
  }
}

/** A service that was told of no tools. */
export function noTools({ tools, isHere }: AskedTools): readonly string[] {
  if (tools.length === 0 || !isHere) return [...new Set(tools)]
  throw new TaskError('bad-request', `there is no tool ${tools[0]}: this service has none`)
}
