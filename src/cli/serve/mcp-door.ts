// /mcp of the service. What it needs is loaded with the first request: most services never get one.
import { DEFAULT_LIMITS, type McpDoor } from '../../api/index.ts'

export function mcpDoor({ onError }: { onError: (error: unknown) => void }): McpDoor {
  return async (request, { service, by, scope, hold }) => {
    const { answerMcp, mayAnswerBy } = await import('../../mcp/index.ts')
    const mayAnswer = (task?: Parameters<typeof mayAnswerBy>[1]) => mayAnswerBy(by.grant, task)
    const caller = { tasks: service, by, scope, mayAnswer, defaultCwd: null, hold, onError }
    return answerMcp(request, caller, { maxBodyBytes: DEFAULT_LIMITS.bodyBytes })
  }
}
