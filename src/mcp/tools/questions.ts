// Questions of Codex, and who answers them.
import { z } from 'zod'
import { type Answer, DrawbridgeError } from '../../codex/index.ts'
import type { McpCaller } from '../mcp-caller.ts'
import { questionsText, taskReport } from '../report.ts'
import { errorText } from '../tool-result.ts'
import { Limit, TaskId } from './fields.ts'
import { defineTool } from './tool.ts'

export const questions = defineTool({
  name: 'task_questions',
  description: 'Open questions of all tasks or of one, with what each answer does.',
  input: z.strictObject({ taskId: TaskId.optional(), limit: Limit.optional().describe('Default 5') }),
  isReadOnly: true,
  async run({ taskId, limit = 5 }, { caller }) {
    const { items, cursor } = await caller.tasks.approvals({ taskId, status: 'pending', limit })
    if (items.length === 0) return 'No open questions.'
    return [...questionsText(items, caller), ...(cursor ? ['There are more: raise the limit.'] : [])].join(
      '\n',
    )
  },
})

export const answer = defineTool({
  name: 'task_answer',
  description:
    'Answers an open question, if your token may. Give a decision that the question offers, or answers by id, or content for a form. The first answer wins.',
  input: z.strictObject({
    questionId: z.string().min(1).max(200),
    decision: z.enum(['once', 'session', 'always', 'deny', 'cancel']).optional(),
    answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
    content: z.record(z.string(), z.unknown()).optional(),
    why: z.string().max(2000).optional(),
  }),
  async run({ questionId, decision, answers, content, why }, { caller, signal }) {
    const given = answerOf({ decision, answers, content })
    const by = { ...caller.by, signal }
    const { taskId, answer: kept } = await caller.tasks.decide(questionId, { answer: given, why }, by)
    const answered = JSON.stringify({ questionId, answered: typeof kept === 'string' ? kept : true })
    return [answered, ...(await reportAfter(taskId, caller))].join('\n')
  },
})

/** The answer is given, whatever comes of this: a token may answer and yet not read. */
async function reportAfter(taskId: string, caller: McpCaller): Promise<string[]> {
  try {
    const task = await caller.tasks.get(taskId)
    return [await taskReport(task, task.lastSeq, caller)]
  } catch (error) {
    return [`The task cannot be shown: ${errorText(error, caller.onError)}`]
  }
}

interface Given {
  readonly decision?: 'once' | 'session' | 'always' | 'deny' | 'cancel' | undefined
  readonly answers?: Readonly<Record<string, string | readonly string[]>> | undefined
  readonly content?: Readonly<Record<string, unknown>> | undefined
}

function answerOf({ decision, answers, content }: Given): Answer {
  const given = [decision, answers, content].filter((each) => each !== undefined)
  if (given.length !== 1)
    throw new DrawbridgeError('give exactly one of decision, answers and content', { code: 'bad-answer' })
  if (decision !== undefined) return decision
  if (content !== undefined) return { content }
  const lists = Object.entries(answers!).map(([id, value]) => [
    id,
    typeof value === 'string' ? [value] : value,
  ])
  return { answers: Object.fromEntries(lists) }
}
