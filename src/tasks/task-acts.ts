// What can be done with one task, by name: by a door of this service, or by another worker that has sent a command. Given
// and returned is plain JSON.
import type { RealPath, TurnInput } from '../codex/index.ts'
import { approvalRow, type Db, taskRow } from '../store/index.ts'
import type { Command } from './fleet/index.ts'
import { addUploads, decideByPerson, removeUpload } from './intake/index.ts'
import { realPathFor } from './link/index.ts'
import {
  type AnswerDeliverable,
  type Approval,
  type Caller,
  type CallerMessage,
  type Decide,
  type Deliverable,
  type ForkTask,
  type Grant,
  type Message,
  type NewUpload,
  type SendMessage,
  type TaskChange,
  TaskError,
  type Terminal,
  type Upload,
} from './model/index.ts'
import type { TaskParts } from './wire-tasks.ts'

export interface TaskActs {
  send(taskId: string, given: readonly [SendMessage], caller: Caller): Promise<Message>
  cancelMessage(taskId: string, given: readonly [messageId: string], caller: Caller): Promise<Message>
  interrupt(taskId: string, given: readonly [], caller: Caller): Promise<void>
  /** The id of the new task. */
  fork(taskId: string, given: readonly [ForkTask], caller: Caller): Promise<string>
  resume(taskId: string, given: readonly [{ prompt?: TurnInput }], caller: Caller): Promise<void>
  change(taskId: string, given: readonly [TaskChange], caller: Caller): Promise<void>
  delete(taskId: string, given: readonly [], caller: Caller): Promise<void>
  decide(taskId: string, given: readonly [approvalId: string, Decide], caller: Caller): Promise<Approval>
  answerDeliverable(
    taskId: string,
    given: readonly [number: number, AnswerDeliverable],
    caller: Caller,
  ): Promise<Deliverable>
  clearAttention(taskId: string, given: readonly [], caller: Caller): Promise<void>
  answerCallerMessage(
    taskId: string,
    given: readonly [messageId: string, { readonly value: unknown }],
    caller: Caller,
  ): Promise<CallerMessage>
  attach(taskId: string, given: readonly [], caller: Caller): Promise<Terminal>
  keepTerminal(taskId: string, given: readonly [], caller: Caller): Promise<void>
  addUploads(
    taskId: string,
    given: readonly [readonly NewUpload[]],
    caller: Caller,
  ): Promise<readonly Upload[]>
  removeUpload(taskId: string, given: readonly [uploadId: string], caller: Caller): Promise<Upload>
  /** One of `BOUND_ACTS` for a named token. Its own name: a worker that knows nothing of tokens must not ignore the grant. */
  actForToken(
    taskId: string,
    given: readonly [name: string, given: readonly unknown[], grant: Grant],
    caller: Caller,
  ): Promise<unknown>
}

/** What is done differently for a named token. */
const BOUND_ACTS: readonly string[] = [
  ...(['send', 'fork', 'resume', 'answerDeliverable', 'answerCallerMessage'] as const),
] satisfies (keyof TaskActs)[]

/** An act as another worker is asked for it. */
export function commandOf(
  { name, taskId, given }: Omit<Command, 'actor'>,
  { actor, grant }: Caller,
): Command {
  if (!grant || !BOUND_ACTS.includes(name)) return { name, taskId, given, actor }
  return { name: 'actForToken', taskId, given: [name, given, grant], actor }
}

export function taskActs(parts: TaskParts, reader: Db): TaskActs {
  const { messages, actions, approvals, rules, trustOf, runs, views, fleet, terminals, handover } = parts
  const acts: TaskActs = {
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
    answerDeliverable: (taskId, [number, answer], caller) =>
      handover.deliverables.answer(taskId, number, answer, caller),
    clearAttention: (taskId, _, { actor }) => handover.said.clearAttention(taskId, actor),
    answerCallerMessage: (taskId, [messageId, answer], caller) =>
      handover.callerMessages.answer(taskId, messageId, answer, caller),
    attach: (taskId) => terminals.attach(taskId),
    keepTerminal: (taskId) => terminals.keep(taskId),
    addUploads: (taskId, [uploads], { actor }) => addUploads(taskId, { uploads, actor }, parts),
    removeUpload: (taskId, [uploadId], { actor }) => removeUpload(taskId, { uploadId, actor }, parts),
    decide: (_, [approvalId, decide], { actor }) =>
      decideByPerson(
        approvalId,
        { ...decide, actor },
        {
          ...{ approvals, messages, rules, trustOf },
          approval: (id) => views.approval(id),
          realPathOf: (approval) => realPathOf(approval, parts, reader),
          wake: (taskId) => runs.wake(taskId),
        },
      ),
    actForToken: (taskId, [name, given, grant], { actor }) => {
      if (!BOUND_ACTS.includes(name)) throw unknownAct(name)
      return acts[name as keyof TaskActs](taskId, given as never, { actor, grant })
    },
  }
  return acts
}

/** Names come from another worker, which may be of another version. */
export async function actByName(acts: TaskActs, { name, taskId, given, actor }: Command): Promise<unknown> {
  if (!Object.hasOwn(acts, name)) throw unknownAct(name)
  return acts[name as keyof TaskActs](taskId, given as never, { actor })
}

function unknownAct(name: string): TaskError {
  return new TaskError(
    'not-supported',
    `the worker that has the task does not know how to ${name}: update it`,
  )
}

/** The task that a question belongs to. */
export async function taskOfApproval(reader: Db, approvalId: string): Promise<string> {
  const row = await approvalRow(reader, approvalId)
  if (!row) throw new TaskError('approval-not-found', `there is no approval ${approvalId}`)
  return row.task_id
}

/** Paths are resolved where the task's codex runs. */
async function realPathOf({ taskId }: Approval, { links, hosts }: TaskParts, reader: Db): Promise<RealPath> {
  const row = await taskRow(reader, taskId)
  const local = links.byId(row?.app_server_id ?? null)?.appServer.host.realPath
  return realPathFor({ host: row?.host ?? null }, { hosts, local })
}
