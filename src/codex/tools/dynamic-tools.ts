// Tools as codex's dynamic tools: each call is a request to this client. Sub-agents do not have them.
import type { ClientParams } from '../protocol/index.ts'
import { callTool, type OnToolCall } from './call-tool.ts'
import type { ThreadTools } from './thread-tools.ts'
import { type Tool, toolsByName } from './tool.ts'
import { asDynamic, textResult } from './tool-output.ts'

export interface DynamicToolsOptions {
  /** Hears of every call when it has ended. */
  readonly onCall?: OnToolCall
}

/** For `startThread({ tools })`, and again for a resume or a fork: codex keeps what they are, not who answers. */
export function dynamicTools(tools: readonly Tool[], options: DynamicToolsOptions = {}): ThreadTools {
  const byName = toolsByName(tools)
  return {
    dynamicTools: tools.map(specOf),
    call: async ({ tool: name, arguments: given, threadId, turnId, callId }, { signal, parent }) => {
      const tool = byName.get(name)
      if (!tool) return asDynamic(textResult(`there is no tool ${name}`, { isError: true }))
      const result = await callTool(tool, given, {
        threadId: parent?.threadId ?? threadId,
        turnId,
        subAgentId: parent ? threadId : null,
        callId,
        signal,
        now: Date.now,
        onCall: options.onCall ?? (() => {}),
      })
      return asDynamic(result)
    },
  }
}

function specOf({
  name,
  description,
  inputSchema,
}: Tool): NonNullable<ClientParams<'thread/start'>['dynamicTools']>[number] {
  return { type: 'function', name, description, inputSchema: inputSchema as never }
}
