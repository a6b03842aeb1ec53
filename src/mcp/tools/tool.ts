import type { z } from 'zod'
import type { Task } from '../../tasks/index.ts'
import type { ClientUser } from '../ask-user.ts'
import type { McpCaller } from '../mcp-caller.ts'

/** One call of a tool. */
export interface ToolCall {
  readonly caller: McpCaller
  /** Ends the waiting when the client has cancelled or gone. What was asked for is still done. */
  readonly signal: AbortSignal
  /** The codex thread that calls, when codex is the client. */
  readonly threadId: string | null
  /** null: the client does not want to hear. */
  readonly progress: ((progress: { progress: number; message: string }) => void) | null
  /** Told of a task that the call has started. */
  readonly onStarted: (task: Task) => void
  /** null: the client did not say that it can ask its user, or cannot be asked on this connection. */
  readonly user: ClientUser | null
}

/** A tool: `run` returns the text a model reads, and throws what is told as an error. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly input: Input
  readonly isReadOnly?: boolean
  run(input: z.infer<Input>, call: ToolCall): Promise<string>
}

/** Ties the type of the input to its schema. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool
}
