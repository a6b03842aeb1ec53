// The state of a task as tools answer it: what the next call needs, what is new, what is asked, what came of it.
import type { Approval, Task } from '../tasks/index.ts'
import { cutText } from '../util/cut-text.ts'
import type { McpCaller } from './mcp-caller.ts'
import { newsSince } from './news.ts'
import { questionLines } from './text/question-text.ts'
import { answerLines, statusLines, taskJson } from './text/task-text.ts'

const MAX_QUESTIONS = 5
const QUESTION_CHARACTERS = 6_000

export async function taskReport(
  task: Task,
  cursor: number,
  caller: Pick<McpCaller, 'tasks' | 'mayAnswer'>,
): Promise<string> {
  const { tasks } = caller
  // A cursor from before a restored backup can be ahead of the log.
  const from = cursor > task.lastSeq ? 0 : cursor
  const news = await newsSince(from, task, tasks)
  const open = task.openApprovals === 0 ? [] : await openQuestions(task.id, tasks)
  return [
    taskJson(task, open.length > 0 ? { questions: open.map(({ id }) => id) } : {}),
    ...statusLines(task),
    ...(news.lines.length > 0 ? ['new:', ...(news.isCut ? ['(earlier lines are left out)'] : [])] : []),
    ...news.lines,
    ...questionsText(open, caller),
    ...answerLines(task),
  ].join('\n')
}

export function questionsText(
  open: readonly Approval[],
  { mayAnswer }: Pick<McpCaller, 'mayAnswer'>,
): string[] {
  if (open.length === 0) return []
  const shown = open.slice(0, MAX_QUESTIONS)
  return [
    ...shown.map((approval) =>
      cutText(`open question: ${questionLines(approval).join('\n')}`, QUESTION_CHARACTERS),
    ),
    ...(open.length > shown.length ? [`${open.length - shown.length} more: see task_questions.`] : []),
    mayAnswer()
      ? 'Answer with task_answer.'
      : 'You may not answer: a person does, in the console or with `drawbridge approve` or `drawbridge deny`. task_wait with this cursor waits for it.',
  ]
}

async function openQuestions(taskId: string, tasks: McpCaller['tasks']): Promise<readonly Approval[]> {
  return (await tasks.approvals({ taskId, status: 'pending' })).items
}
