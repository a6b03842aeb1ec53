// The Tasks extension of MCP (revision 2026-07-28): a client that declares it follows what task_start started by itself, with
// tasks/get, and puts questions to its user. A task of the extension is a task of ours: nothing is kept here.
import {
  CLIENT_CAPABILITIES_META_KEY,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { DrawbridgeError } from '../codex/index.ts'
import { type Approval, hasEnded, type Task } from '../tasks/index.ts'
import { answerByForm } from './ask-user.ts'
import type { McpCaller } from './mcp-caller.ts'
import { taskReport } from './report.ts'
import { questionForm } from './text/question-form.ts'
import { toolResult } from './tool-result.ts'

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

const POLL_MS = 2_000
const MAX_ANSWERS = 20

const TaskId = z.object({ taskId: z.string().min(1).max(200) })
const Replies = z.record(
  z.string().max(200),
  z.object({ action: z.string().max(20), content: z.record(z.string(), z.unknown()).optional() }),
)

/** Whether the client of this request takes a task instead of a result: it says so with each one. */
export function takesTasks(context: ServerContext): boolean {
  return Object.hasOwn(Object(declared(context).extensions), TASKS_EXTENSION)
}

/** What makes the result of a call a task. */
export function createdTask(task: Task): Record<string, unknown> {
  return { resultType: 'task', ...taskFields(task), status: 'working' }
}

export function addTasksExtension({ server }: McpServer, caller: McpCaller): void {
  const { tasks, by } = caller
  server.setRequestHandler('tasks/get', { params: TaskId }, ({ taskId }, context) =>
    answered(caller, async () => detailedTask(await tasks.get(taskId), context, caller)),
  )
  server.setRequestHandler('tasks/update', { params: TaskId }, ({ taskId }, { mcpReq }) =>
    answered(caller, () => update({ taskId, given: mcpReq.inputResponses }, caller, mcpReq)),
  )
  server.setRequestHandler('tasks/cancel', { params: TaskId }, ({ taskId }, { mcpReq: { signal } }) =>
    answered(caller, async () => {
      const { status } = await tasks.get(taskId)
      // It may have ended since the client last looked: there is nothing left to do.
      if (!hasEnded(status)) await tasks.interrupt(taskId, { ...by, signal })
      return {}
    }),
  )
}

async function detailedTask(task: Task, context: ServerContext, caller: McpCaller) {
  const fields = taskFields(task)
  // One that is limited goes on by itself.
  if (hasEnded(task.status) && task.status !== 'limited') {
    if (task.status === 'interrupted') return { ...fields, status: 'cancelled' }
    const told = await toolResult(() => taskReport(task, 0, caller), caller.onError)
    const isError = task.status !== 'completed' && task.status !== 'idle'
    return {
      ...fields,
      status: 'completed',
      result: { resultType: 'complete', ...told, ...(isError && { isError }) },
    }
  }
  const inputRequests = await askable(task, context, caller)
  if (Object.keys(inputRequests).length === 0) return { ...fields, status: 'working' }
  return { ...fields, status: 'input_required', inputRequests }
}

/** Open questions that this client's user can answer. Any other waits for people elsewhere, and the task works on it. */
async function askable(task: Task, context: ServerContext, caller: McpCaller) {
  const { elicitation } = declared(context)
  const canAsk = elicitation && (elicitation.form || Object.keys(elicitation).length === 0)
  if (task.openApprovals === 0 || !canAsk || !caller.mayAnswer(task)) return {}
  const { items } = await caller.tasks.approvals({ taskId: task.id, status: 'pending' })
  return Object.fromEntries(items.slice(0, MAX_ANSWERS).flatMap((approval) => request(approval, task)))
}

function request(approval: Approval, task: Task) {
  const form = questionForm(approval, task)
  if (form === null) return []
  const { message, requestedSchema } = form
  return [[approval.id, { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } }]]
}

/** Answers that come twice, too late, or for another task, are nobody's: what counts is the question's state in tasks/get. */
async function update(
  { taskId, given }: { readonly taskId: string; readonly given: unknown },
  caller: McpCaller,
  { signal }: { signal: AbortSignal },
): Promise<Record<string, never>> {
  // The SDK takes them out of the params of every request.
  const { data: replies } = Replies.safeParse(given)
  if (!replies) throw new DrawbridgeError('inputResponses are not replies to forms', { code: 'bad-answer' })
  const task = await caller.tasks.get(taskId)
  const { items } = await caller.tasks.approvals({ taskId, status: 'pending' })
  for (const approval of items.slice(0, MAX_ANSWERS)) {
    const reply = Object.hasOwn(replies, approval.id) ? replies[approval.id] : undefined
    const form = reply && questionForm(approval, task)
    if (form) await answerByForm(approval, { form, reply, caller }, { signal })
  }
  return {}
}

function taskFields({ id, title, reason, createdAt, updatedAt }: Task) {
  return {
    taskId: id,
    statusMessage: `${title}: ${reason}`,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    // Tasks are kept until a person deletes them.
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  }
}

interface Declared {
  readonly extensions?: unknown
  readonly elicitation?: { readonly form?: unknown }
}

function declared({ mcpReq }: ServerContext): Declared {
  const envelope = Object(mcpReq.envelope) as Readonly<Record<string, unknown>>
  return Object(envelope[CLIENT_CAPABILITIES_META_KEY]) as Declared
}

async function answered<T>({ onError }: McpCaller, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof DrawbridgeError)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.code}: ${error.message}`)
    onError(error)
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'internal: the log of Drawbridge says what went wrong',
    )
  }
}
