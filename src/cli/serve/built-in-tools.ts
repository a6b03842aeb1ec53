// Tools that Drawbridge itself offers to tasks that ask for them. None is a shell or changes files: codex has those.
import { defineTool, type Tool } from '../../codex/index.ts'
import { SANDBOXES, type Task, TaskError, type TaskService } from '../../tasks/index.ts'
import { callerTools, deliverTools, type InsideParts, reportTools } from './inside-tools.ts'

/** What they do it with. */
export interface BuiltInParts {
  /** Known once the service is composed. */
  readonly tasks: () => Pick<TaskService, 'start' | 'get' | 'wait' | 'approvals'>
  readonly tellPeople: (taskId: string, message: string) => Promise<void>
  readonly inside: InsideParts
}

/** The names that a task can ask for, and what each brings. */
export const BUILT_IN: Readonly<Record<string, (taskId: string, parts: BuiltInParts) => readonly Tool[]>> = {
  drawbridge_tasks: (taskId, parts) => [startTask(taskId, parts), waitTask(taskId, parts)],
  drawbridge_notify: (taskId, parts) => [notify(taskId, parts)],
  drawbridge_deliver: (taskId, { inside }) => deliverTools(taskId, inside),
  drawbridge_report: (taskId, { inside }) => reportTools(taskId, inside),
  drawbridge_caller: (taskId, { inside }) => callerTools(taskId, inside, { isAnswered: false }),
  drawbridge_caller_answers: (taskId, { inside }) => callerTools(taskId, inside, { isAnswered: true }),
}

const MAX_WAIT_SECONDS = 240
const MAX_MESSAGES = 20
const MAX_MESSAGE = 2_000

/** The new task stands below the one that starts it, in its folder, and may do no more than that one may. */
function startTask(taskId: string, { tasks }: BuiltInParts): Tool {
  return defineTool({
    name: 'drawbridge_start_task',
    description:
      'Starts another Codex task below this one, in the same folder, with its own thread. Returns at once; follow it with drawbridge_wait_task.',
    input: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'What the task is to do, with all it has to know.' },
        title: { type: 'string', description: 'What it is called in lists.' },
        sandbox: { enum: ['read-only', 'workspace-write'], description: 'Default read-only.' },
      },
      required: ['prompt'],
    },
    handler: async ({ prompt, title, sandbox = 'read-only' }, { callId }) => {
      const parent = await tasks().get(taskId)
      refuseWider(parent, sandbox)
      const { model, modelProvider, effort, serviceTier, allow, confined } = parent.policy
      const task = await tasks().start(
        {
          prompt,
          title,
          cwd: parent.cwd,
          codexPath: parent.codexPath ?? undefined,
          // The home of a task with an account is the account's.
          ...(parent.account === null
            ? { codexHome: parent.codexHome ?? undefined }
            : { account: parent.account, onLimit: parent.onLimit ?? undefined }),
          host: parent.host ?? undefined,
          // Confined as its parent is. Without a network, whatever that has.
          policy: { sandbox, model, modelProvider, effort, serviceTier, allow, confined },
          preset: parent.preset,
          rules: parent.rules,
          parent: { taskId },
          // A call that codex repeats starts nothing again.
          ...(callId !== '' && { idempotencyKey: `tool ${taskId} ${callId}` }),
        },
        { actor: `task:${taskId}` },
      )
      return { structured: { task_id: task.id, status: task.status } }
    },
  })
}

function waitTask(taskId: string, { tasks }: BuiltInParts): Tool {
  return defineTool({
    name: 'drawbridge_wait_task',
    description:
      'Waits until a task that this one started has ended or needs a person, at most timeout_seconds, and says how it is: status, answer, open questions. People answer the questions.',
    input: {
      type: 'object',
      properties: {
        task_id: { type: 'string' },
        timeout_seconds: { type: 'number', description: `At most ${MAX_WAIT_SECONDS}. Default 25.` },
      },
      required: ['task_id'],
    },
    timeoutMs: (MAX_WAIT_SECONDS + 30) * 1_000,
    handler: async ({ task_id, timeout_seconds = 25 }, { signal }) => {
      await ownChild(task_id)
      const timeoutMs = Math.min(Math.max(timeout_seconds, 0), MAX_WAIT_SECONDS) * 1_000
      const task = await tasks().wait(task_id, { timeoutMs, signal })
      const { items } = await tasks().approvals({ taskId: task.id, status: 'pending', limit: 20 })
      return {
        structured: {
          task_id: task.id,
          status: task.status,
          reason: task.reason,
          answer: task.result?.text ?? null,
          open_questions: items.map(({ id, question }) => ({ id, title: question.title })),
        },
      }
    },
  })

  async function ownChild(id: string): Promise<void> {
    const child = await tasks().get(id)
    if (child.parent !== taskId) throw new TaskError('task-not-found', `this task has not started ${id}`)
  }
}

function notify(taskId: string, { tellPeople }: BuiltInParts): Tool {
  let sent = 0
  return defineTool({
    name: 'drawbridge_notify',
    description:
      'Sends a short message to the people who follow this task. Use it for what they should know now; the final answer is sent anyway.',
    input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    handler: async ({ message }) => {
      if (sent >= MAX_MESSAGES) throw new Error(`this task has sent ${MAX_MESSAGES} messages: that is enough`)
      sent++
      await tellPeople(taskId, message.slice(0, MAX_MESSAGE).toWellFormed())
      return 'sent'
    },
  })
}

function refuseWider({ policy }: Task, sandbox: 'read-only' | 'workspace-write'): void {
  const own = policy.permissions === undefined ? (policy.sandbox ?? 'read-only') : 'read-only'
  if (SANDBOXES.indexOf(sandbox) > SANDBOXES.indexOf(own))
    throw new Error(`this task is ${own} itself: a task that it starts cannot be ${sandbox}`)
}
