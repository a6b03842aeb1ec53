// What can be done with one task, by name: by a door of this service, or by another worker that has sent a command. Given
// and returned is plain JSON.
import type { Resolve, TurnInput } from '../codex/index.ts'
import { approvalRow, type Db, taskRow } from '../store/index.ts'
import type { Command } from './fleet/index.ts'
import { type Creator, decideByPerson } from './intake/index.ts'
import {
  type Approval,
  type Caller,
  type Decide,
  type ForkTask,
  type Message,
  type SendMessage,
  type TaskChange,
  TaskError,
  type Terminal,
} from './model/index.ts'
import type { TaskParts } from './wire-tasks.ts'

export interface TaskActs {
  send(taskId: string, given: readonly [SendMessage], caller: Caller): Promise<Message>
  cancelMessage(taskId: string, given: readonly [messageId: string], caller: Caller): Promise<Message>
  interrupt(taskId: string, given: readonly [], caller: Caller): Promise<void>
  /** The id of the new task. `by` belongs to what is given: a caller's grant does not travel between workers. */
  fork(taskId: string, given: readonly [ForkTask & { by?: Creator | null }], caller: Caller): Promise<string>
  resume(taskId: string, given: readonly [{ prompt?: TurnInput }], caller: Caller): Promise<void>
  change(taskId: string, given: readonly [TaskChange], caller: Caller): Promise<void>
  delete(taskId: string, given: readonly [], caller: Caller): Promise<void>
  decide(taskId: string, given: readonly [approvalId: string, Decide], caller: Caller): Promise<Approval>
  attach(taskId: string, given: readonly [], caller: Caller): Promise<Terminal>
  keepTerminal(taskId: string, given: readonly [], caller: Caller): Promise<void>
}

export function taskActs(parts: TaskParts, reader: Db): TaskActs {
  const { messages, actions, approvals, rules, trustOf, runs, views, fleet, terminals } = parts
  return {
    send: (taskId, [message], caller) => messages.send(taskId, message, caller),
    cancelMessage: (taskId, [messageId], caller) => messages.cancel(taskId, messageId, caller),
    interrupt: (taskId, _, caller) => actions.interrupt(taskId, caller),
    fork: (taskId, [request], caller) => actions.fork(taskId, request, caller),
    resume: (taskId, [options], caller) => actions.resume(taskId, options, caller),
    change: (taskId, [fields], caller) => actions.change(taskId, fields, caller),
    delete: async (taskId) => {
      await actions.delete(taskId)
      fleet?.owned.forget(taskId)
    },
    attach: (taskId) => terminals.attach(taskId),
    keepTerminal: (taskId) => terminals.keep(taskId),
    decide: (_, [approvalId, decide], { actor }) =>
      decideByPerson(
        approvalId,
        { ...decide, actor },
        {
          ...{ approvals, messages, rules, trustOf },
          approval: (id) => views.approval(id),
          resolverOf: (approval) => resolverOf(approval, parts, reader),
          wake: (taskId) => runs.wake(taskId),
        },
      ),
  }
}

/** Names come from another worker, which may be of another version. */
export async function actByName(acts: TaskActs, { name, taskId, given, actor }: Command): Promise<unknown> {
  if (!Object.hasOwn(acts, name))
    throw new TaskError(
      'not-supported',
      `the worker that has the task does not know how to ${name}: update it`,
    )
  return acts[name as keyof TaskActs](taskId, given as never, { actor })
}

/** The task that a question belongs to. */
export async function taskOfApproval(reader: Db, approvalId: string): Promise<string> {
  const row = await approvalRow(reader, approvalId)
  if (!row) throw new TaskError('approval-not-found', `there is no approval ${approvalId}`)
  return row.task_id
}

/** Paths are resolved where the task's codex runs. */
async function resolverOf({ taskId }: Approval, { links }: TaskParts, reader: Db): Promise<Resolve> {
  const row = await taskRow(reader, taskId)
  return links.byId(row?.app_server_id ?? null)?.appServer.host.realPath ?? (() => null)
}
