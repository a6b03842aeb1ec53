// Tools that only look at tasks.
import { z } from 'zod'
import { TASK_STATUSES } from '../../tasks/index.ts'
import { pieceOf } from '../../util/cut-text.ts'
import { taskReport } from '../report.ts'
import { listedTask, taskFacts, taskJson } from '../text/task-text.ts'
import { Cursor, Limit, TaskId } from './fields.ts'
import { defineTool } from './tool.ts'

const RESULT_CHARACTERS = 20_000

export const show = defineTool({
  name: 'task_show',
  description: 'A task now: status, recent events, open questions, answer, how it was started.',
  input: z.strictObject({ taskId: TaskId }),
  isReadOnly: true,
  async run({ taskId }, { caller }) {
    const task = await caller.tasks.get(taskId)
    return [await taskReport(task, 0, caller), ...taskFacts(task)].join('\n')
  },
})

export const list = defineTool({
  name: 'task_list',
  description: 'Tasks, newest first, one JSON line each.',
  input: z.strictObject({
    status: z.array(z.enum(TASK_STATUSES)).max(11).optional(),
    search: z.string().min(1).max(200).optional(),
    label: z.string().min(1).max(200).optional(),
    limit: Limit.optional().describe('Default 10'),
    page: z.string().max(500).optional().describe('From the last line of a list'),
  }),
  isReadOnly: true,
  async run({ status, search, label, limit = 10, page }, { caller }) {
    const labels = label === undefined ? undefined : [label]
    const { items, cursor } = await caller.tasks.list({ status, search, labels, limit, cursor: page })
    if (items.length === 0) return 'No tasks.'
    return [...items.map(listedTask), ...(cursor ? [JSON.stringify({ page: cursor })] : [])].join('\n')
  },
})

export const result = defineTool({
  name: 'task_result',
  description: 'The whole final answer of a task, in pieces of 20,000 characters.',
  input: z.strictObject({ taskId: TaskId, offset: Cursor.optional() }),
  isReadOnly: true,
  async run({ taskId, offset = 0 }, { caller }) {
    const task = await caller.tasks.get(taskId)
    if (!task.result) return [taskJson(task), 'There is no answer yet.'].join('\n')
    const { text, output, turnId } = task.result
    const { piece, nextOffset } = pieceOf(text, offset, RESULT_CHARACTERS)
    return [
      taskJson(task, { turnId, characters: text.length, ...(nextOffset !== null && { nextOffset }) }),
      ...(output !== null && output !== undefined && offset === 0
        ? ['The answer is JSON, as its schema wants it.']
        : []),
      piece,
    ].join('\n')
  },
})

export const models = defineTool({
  name: 'codex_models',
  description: 'The models Codex offers, with their efforts.',
  input: z.strictObject({}),
  isReadOnly: true,
  async run(_, { caller }) {
    const found = await caller.tasks.models()
    return found.length === 0 ? 'Codex names no models.' : found.map((model) => modelLine(model)).join('\n')
  },
})

/** codex's own fields: only those that are of use in `task_start`. */
function modelLine(model: unknown): string {
  const { model: name, id, displayName, description, isDefault, supportedReasoningEfforts } = Object(model)
  const efforts = Array.isArray(supportedReasoningEfforts)
    ? supportedReasoningEfforts.map((effort) => Object(effort).reasoningEffort ?? effort)
    : undefined
  return JSON.stringify({ model: name ?? id, displayName, description, isDefault, efforts })
}
