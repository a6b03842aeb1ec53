import { z } from 'zod'
import type { Notice } from '../../tasks/index.ts'
import { cutText } from '../../util/cut-text.ts'
import { Limit, TaskId } from './fields.ts'
import { defineTool, type ToolCall } from './tool.ts'

const TEXT_CHARACTERS = 700

export const notices = defineTool({
  name: 'task_notices',
  description:
    'Notices about tasks to people, which are sent by themselves. send: tries those that were given up again; with dryRun it only shows what would be sent.',
  input: z.strictObject({
    taskId: TaskId.optional(),
    status: z.enum(['pending', 'sent', 'dead', 'no_target']).optional(),
    limit: Limit.optional().describe('Default 10'),
    send: z.boolean().optional(),
    dryRun: z.boolean().optional(),
  }),
  async run({ taskId, status, limit = 10, send = false, dryRun = false }, call) {
    const wanted = status ?? (send ? 'dead' : undefined)
    const { items } = await call.caller.tasks.notices({ taskId, status: wanted, limit })
    if (items.length === 0) return 'No notices.'
    const lines = await Promise.all(items.map((notice) => noticeLine(notice, { send, dryRun }, call)))
    return lines.join('\n')
  },
})

async function noticeLine(
  notice: Notice,
  { send, dryRun }: { send: boolean; dryRun: boolean },
  { caller, signal }: ToolCall,
): Promise<string> {
  const { tasks, by } = caller
  if (dryRun) return JSON.stringify({ ...shown(notice), wouldSend: await draftOf(notice, tasks) })
  if (!send || notice.status !== 'dead') return JSON.stringify(shown(notice))
  return JSON.stringify({ ...shown(await tasks.retryNotice(notice.id, { ...by, signal })), isRetried: true })
}

async function draftOf({ id }: Notice, tasks: ToolCall['caller']['tasks']): Promise<unknown> {
  const draft = await tasks.dryRunNotice?.(id)
  if (draft === undefined) return null
  if ('error' in draft) return draft
  const { target, method, body } = draft
  return { target, method, body: cutText(body, TEXT_CHARACTERS) }
}

function shown({ id, taskId, cause, target, status, title, text, attempts, lastError }: Notice) {
  return {
    noticeId: id,
    taskId,
    cause,
    target,
    status,
    title,
    text: cutText(text, TEXT_CHARACTERS),
    attempts,
    ...(lastError && { lastError: cutText(lastError, TEXT_CHARACTERS) }),
  }
}
