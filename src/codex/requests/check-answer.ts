import { answerText } from './async-question.ts'
import { familyOf } from './families.ts'
import { BadAnswerError, notOffered } from './family.ts'
import type { McpToolCall } from './open-items.ts'
import type { Answer, Question } from './question.ts'

/**
 * Throws a `BadAnswerError` unless this question can be given this answer. For whoever must know before the answer is
 * on its way, and keeps questions as plain data.
 */
export function checkAnswer(question: Question, answer: Answer): void {
  if (question.method === null) return checkAsync(question, answer)
  const family = familyOf(question.method)
  if (!family?.reply) throw new BadAnswerError(`nobody is asked for ${question.method}`)
  if (typeof answer === 'object' && 'result' in answer) return
  family.reply(answer as never, question.params as never, {
    requestId: question.requestId ?? '',
    parent: question.parent,
    codexVersion: null,
    cwd: '',
    escalation: null,
    changes: [],
    toolCalls: toolCallOf(question),
  })
}

function checkAsync(question: Question, answer: Answer): void {
  if (answer === 'deny') return
  if (question.kind !== 'user-input' || typeof answer !== 'object' || !('answers' in answer))
    return notOffered(answer, question.choices)
  answerText(question, answer.answers)
}

/** The question was about a call that codex had begun, or it would be of another kind. */
function toolCallOf(question: Question): readonly McpToolCall[] {
  if (question.kind !== 'mcp-tool') return []
  const { server, itemId, arguments: given } = question
  const call = { type: 'mcpToolCall', id: itemId ?? '', server, tool: question.tool ?? '', arguments: given }
  return [call as McpToolCall]
}
