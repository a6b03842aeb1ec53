/** One line for a person: what codex asked to be allowed. */
export function describeRequest(method: string, params: unknown): string {
  const { command, reason, tool, message } = Object(params) as Record<string, unknown>
  const because = typeof reason === 'string' && reason !== '' ? ` (${reason})` : ''
  switch (method) {
    case 'item/commandExecution/requestApproval':
    case 'execCommandApproval':
      return `run ${Array.isArray(command) ? command.join(' ') : String(command ?? 'a command')}${because}`
    case 'item/fileChange/requestApproval':
    case 'applyPatchApproval':
      return `change files${because}`
    case 'item/permissions/requestApproval':
      return `more permissions${because}`
    case 'item/tool/requestUserInput':
    // What the model asks in a message.
    case 'item/completed':
      return 'answers to its questions'
    case 'mcpServer/elicitation/request':
      return typeof message === 'string' ? message : 'an answer for an MCP server'
    case 'item/tool/call':
      return `call the tool ${String(tool)}`
    default:
      return method
  }
}
