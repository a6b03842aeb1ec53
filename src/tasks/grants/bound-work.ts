// What a named token does: starts, goes on, interrupts, answers.
import type { Approval, Caller, Decide, Grant, Task, TaskService } from '../model/index.ts'
import {
  type Context,
  checkChange,
  checkMessage,
  checkNetwork,
  checkOverrides,
  checkStart,
  checkWorkspace,
} from './ceiling.ts'
import type { BoundedMethods } from './needs.ts'
import { aboveCeiling, lacks } from './not-permitted.ts'
import { checkInForce, checkReach } from './reach.ts'
import type { GrantParts } from './sight.ts'

export type BoundWork = Pick<
  BoundedMethods,
  | 'start'
  | 'send'
  | 'placeToUpload'
  | 'addUploads'
  | 'removeUpload'
  | 'cancelMessage'
  | 'interrupt'
  | 'fork'
  | 'resume'
  | 'change'
  | 'decide'
  | 'answerDeliverable'
  | 'answerCallerMessage'
  | 'clearAttention'
>

export function boundWork(tasks: TaskService, { sight, grant }: GrantParts): BoundWork {
  const as = (caller: Caller): Caller => ({ ...caller, grant })
  const within = async (taskId: string): Promise<{ task: Task; context: Context }> => {
    const task = await sight.task(taskId)
    const isOwn = task.createdBy?.tokenId === grant.tokenId
    return { task, context: await checkReach(task, { grant, tasks, isOwn }) }
  }
  /** What goes into the turn that runs, or begins the next one. */
  const withinForMessage = async (taskId: string): Promise<void> => {
    const { task, context } = await within(taskId)
    if (task.turnId !== null) checkInForce(task, context)
  }
  return {
    start: async (request, caller) => {
      checkStart(request, grant)
      // A thread's id is known only to those who work in it; a task's stands in every list.
      if (request.parent && 'taskId' in request.parent) await sight.task(request.parent.taskId)
      return tasks.start({ ...request, ...ownKey(request, grant) }, as(caller))
    },
    send: async (taskId, message, caller) => {
      const { task, context } = await within(taskId)
      const isSteer = message.mode === 'steer'
      if (isSteer) checkInForce(task, context)
      checkMessage(message.input, context)
      const { approvalPolicy } = task.policy
      checkOverrides({ ...(approvalPolicy && { approvalPolicy }), ...message.overrides }, context)
      // A terminal may begin a turn with more rights while this is on its way.
      return tasks.send(taskId, { ...message, ...(isSteer && { turnId: task.turnId }) }, as(caller))
    },
    placeToUpload: async (taskId) => ({ task: (await within(taskId)).task, within: grant.ceiling.folders }),
    addUploads: async (taskId, uploads, caller) => {
      await within(taskId)
      return tasks.addUploads(taskId, uploads, as(caller))
    },
    removeUpload: async (taskId, uploadId, caller) => {
      await within(taskId)
      const upload = (await tasks.uploads(taskId)).find(({ id }) => id === uploadId)
      if (upload && upload.actor !== caller.actor)
        throw aboveCeiling(grant, { what: 'take back a file of another', flag: null })
      return tasks.removeUpload(taskId, uploadId, as(caller))
    },
    cancelMessage: async (taskId, messageId, caller) => {
      await sight.task(taskId)
      const { messages } = await tasks.show(taskId, { events: 0 })
      const message = messages.find(({ id }) => id === messageId)
      if (message && message.actor !== caller.actor)
        throw aboveCeiling(grant, { what: 'take back a message of another', flag: null })
      return tasks.cancelMessage(taskId, messageId, as(caller))
    },
    answerDeliverable: async (taskId, number, answer, caller) => {
      await withinForMessage(taskId)
      return tasks.answerDeliverable(taskId, number, answer, as(caller))
    },
    answerCallerMessage: async (taskId, messageId, answer, caller) => {
      await withinForMessage(taskId)
      return tasks.answerCallerMessage(taskId, messageId, answer, as(caller))
    },
    clearAttention: async (taskId, caller) => {
      await sight.task(taskId)
      return tasks.clearAttention(taskId, as(caller))
    },
    // Whoever sees a task sees all that are below it.
    interrupt: async (taskId, caller, options) => {
      await sight.task(taskId)
      return tasks.interrupt(taskId, as(caller), options)
    },
    fork: async (taskId, request, caller) => {
      const { task, context } = await within(taskId)
      checkMessage(request.prompt, context)
      // A fork has a workspace of its own, of the same kind.
      if (task.workspace) checkWorkspace({ kind: task.workspace.kind }, context)
      return tasks.fork(taskId, { ...request, ...ownKey(request, grant) }, as(caller))
    },
    resume: async (taskId, options, caller) => {
      const { context } = await within(taskId)
      checkMessage(options.prompt, context)
      return tasks.resume(taskId, options, as(caller))
    },
    change: async (taskId, fields, caller) => {
      const task = await sight.task(taskId)
      if ((await sight.kinshipOf(task)) !== 'own')
        throw aboveCeiling(grant, { what: 'change a task that another started', flag: null })
      const { cwd, host, policy } = task
      checkChange(fields, { grant, cwd, host, sandbox: policy.sandbox ?? 'read-only' })
      return tasks.change(taskId, fields, as(caller))
    },
    decide: async (approvalId, decide, caller) => {
      const { approval, task } = await sight.approval(approvalId)
      const kinship = await sight.kinshipOf(task)
      const isAsker = kinship !== 'foreign' || (await sight.hasSentTo(task, caller.actor))
      if (isAsker && !grant.may.includes('answer-own')) throw lacks(grant, 'answer-own')
      if (kinship !== 'own' && !grant.may.includes('answer')) throw lacks(grant, 'answer')
      if (isRaw(decide))
        throw aboveCeiling(grant, { what: "answer with codex's own reply: use a word or values", flag: null })
      if (outlastsTask(approval, decide))
        throw aboveCeiling(grant, { what: 'answer for other tasks too: answer once or session', flag: null })
      if (decide.retry) {
        const { context } = await within(task.id)
        if (decide.retry.network) checkNetwork(true, { ...context, sandbox: 'read-only' })
      }
      return tasks.decide(approvalId, decide, as(caller))
    },
  }
}

/** codex gets it as it is: it can hold a rule, for good, in any form that some version of codex knows. */
function isRaw({ answer }: Decide): boolean {
  return typeof answer === 'object' && 'result' in answer
}

/** Such an answer becomes a rule: of ours, or of codex's own. */
function outlastsTask({ question }: Approval, { answer, rule }: Decide): boolean {
  const choice = question.choices.find(({ word }) => word === answer)
  return answer === 'always' || rule !== undefined || choice?.lasts === 'for good'
}

/** Each token has its own keys: by another's, it would get another's task. */
function ownKey(
  { idempotencyKey }: { readonly idempotencyKey?: string | undefined },
  { tokenId }: Grant,
): { idempotencyKey?: string } {
  return idempotencyKey === undefined ? {} : { idempotencyKey: `${tokenId} ${idempotencyKey}` }
}
