// Tools that change a task.
import { z } from 'zod'
import { DrawbridgeError } from '../../codex/index.ts'
import { statusLines, taskJson } from '../text/task-text.ts'
import { ClientRequestId, Prompt, TaskId } from './fields.ts'
import { requestKey } from './request-key.ts'
import { defineTool } from './tool.ts'

export const send = defineTool({
  name: 'task_send',
  description:
    'Sends a message to a task. queue: the next turn, at once if none runs. steer: into the running turn. resume: goes on after lost, limited, failed, interrupted or timed-out; takes no clientRequestId.',
  input: z.strictObject({
    taskId: TaskId,
    text: Prompt,
    mode: z.enum(['queue', 'steer', 'resume']).optional().describe('Default queue'),
    clientRequestId: ClientRequestId.optional(),
  }),
  async run({ taskId, text, mode = 'queue', clientRequestId }, { caller, signal }) {
    const by = { ...caller.by, signal }
    if (mode === 'resume') {
      if (clientRequestId !== undefined)
        throw new DrawbridgeError('resume takes no clientRequestId: look at the task before you repeat it', {
          code: 'bad-request',
        })
      const task = await caller.tasks.resume(taskId, { prompt: text }, by)
      return [taskJson(task), ...statusLines(task)].join('\n')
    }
    const clientMessageId = requestKey(clientRequestId, caller)
    const message = await caller.tasks.send(taskId, { input: text, mode, clientMessageId }, by)
    const { id, status, turnId } = message
    return JSON.stringify({ taskId, messageId: id, mode, status, ...(turnId && { turnId }) })
  },
})

export const interrupt = defineTool({
  name: 'task_interrupt',
  description: 'Ends the running turn of a task, or takes it out of the queue.',
  input: z.strictObject({ taskId: TaskId }),
  async run({ taskId }, { caller, signal }) {
    const task = await caller.tasks.interrupt(taskId, { ...caller.by, signal })
    return [taskJson(task), ...statusLines(task)].join('\n')
  },
})

export const fork = defineTool({
  name: 'task_fork',
  description: 'Starts a new task with the history of another one. Without a prompt it waits for a message.',
  input: z.strictObject({
    taskId: TaskId,
    prompt: Prompt.optional(),
    lastTurnId: z.string().min(1).max(200).optional().describe('History up to this turn'),
    title: z.string().trim().min(1).max(500).optional(),
    clientRequestId: ClientRequestId.optional(),
  }),
  async run({ taskId, prompt, lastTurnId, title, clientRequestId }, { caller, signal }) {
    const request = { prompt, lastTurnId, title, idempotencyKey: requestKey(clientRequestId, caller) }
    const task = await caller.tasks.fork(taskId, request, { ...caller.by, signal })
    return [taskJson(task, { forkedFrom: taskId, cursor: 0 }), ...statusLines(task)].join('\n')
  },
})
