// The task service as a named token may use it.
import type { TaskEvent } from '../../store/index.ts'
import type { Caller, Grant, Right, Task, TaskService } from '../model/index.ts'
import {
  type Context,
  checkChange,
  checkMessage,
  checkNetwork,
  checkOverrides,
  checkStart,
} from './ceiling.ts'
import { type BoundedMethods, NEEDS } from './needs.ts'
import { aboveCeiling, lacks, ownerOnly } from './not-permitted.ts'
import { checkReach } from './reach.ts'
import { Sight } from './sight.ts'

/** These answer at once; all others with a promise. */
const SYNCHRONOUS: readonly string[] = ['appServers', 'follow', 'followAll'] satisfies (keyof TaskService)[]

/**
 * Allows, filters or refuses each call by the grant. What the token does not see is answered as if it did not exist; what it
 * may not do is refused with `not-permitted`, before anything is looked up.
 */
export function boundTasks(tasks: TaskService, grant: Grant): TaskService {
  const methods: BoundedMethods = boundedMethods(tasks, grant)
  const guarded = Object.entries(NEEDS).map(([name, needs]) => {
    const call = (...given: never[]): unknown => {
      refuseWithout(grant, { name, needs })
      return (methods[name as keyof BoundedMethods] as (...given: never[]) => unknown)(...given)
    }
    return [name, SYNCHRONOUS.includes(name) ? call : async (...given: never[]) => call(...given)]
  })
  return Object.fromEntries(guarded) as TaskService
}

function refuseWithout(grant: Grant, { name, needs }: { name: string; needs: readonly Right[] }): void {
  if (needs.length === 0) throw ownerOnly(grant, name)
  if (!needs.some((right) => grant.may.includes(right))) throw lacks(grant, needs[0]!)
}

function boundedMethods(tasks: TaskService, grant: Grant): BoundedMethods {
  const sight = new Sight(tasks, grant)
  return { ...reading(tasks, { sight, grant }), ...working(tasks, { sight, grant }) }
}

interface Parts {
  readonly sight: Sight
  readonly grant: Grant
}

type Reading = Omit<BoundedMethods, keyof Working>
type Working = Pick<
  BoundedMethods,
  'start' | 'send' | 'cancelMessage' | 'interrupt' | 'fork' | 'resume' | 'change' | 'decide'
>

function reading(tasks: TaskService, { sight, grant }: Parts): Reading {
  const seen =
    <Given extends unknown[], Result>(read: (taskId: string, ...given: Given) => Promise<Result>) =>
    async (taskId: string, ...given: Given): Promise<Result> => {
      await sight.task(taskId)
      return read(taskId, ...given)
    }
  /** What is about all tasks is for those who see all of them. */
  const refuseOwnOnly = (what: string) => {
    if (grant.tasks !== 'all') throw aboveCeiling(grant, { what, flag: '--tasks all' })
  }
  return {
    list: async (query) => tasks.list({ ...query, ...sight.ownedBy }),
    count: async (filter) => tasks.count({ ...filter, ...sight.ownedBy }),
    get: (taskId) => sight.task(taskId),
    show: seen((taskId, options) => tasks.show(taskId, options)),
    wait: seen((taskId, options) => tasks.wait(taskId, options)),
    events: seen((taskId, options) => tasks.events(taskId, options)),
    wholeEvent: seen((taskId, seq) => tasks.wholeEvent(taskId, seq)),
    follow: (taskId, options) => followSeen(taskId, options, { tasks, sight }),
    followAll: (options) => followAllSeen(options, { tasks, sight }),
    approvals: async (query) => {
      if (query.taskId !== undefined) await sight.task(query.taskId)
      return tasks.approvals({ ...query, ...sight.ownedBy })
    },
    approval: async (approvalId) => (await sight.approval(approvalId)).approval,
    audit: async (query) => {
      if (query.taskId === undefined)
        throw aboveCeiling(grant, { what: 'read the audit of all tasks', flag: null })
      await sight.task(query.taskId)
      return tasks.audit(query)
    },
    notices: async (query) => {
      if (query.taskId === undefined)
        throw aboveCeiling(grant, { what: 'read the notices of all tasks', flag: null })
      await sight.task(query.taskId)
      return tasks.notices(query)
    },
    models: () => tasks.models(),
    usage: async (query) => {
      refuseOwnOnly('read the usage of all tasks')
      return tasks.usage(query)
    },
    counts: () => tasks.counts(sight.ownedBy),
  }
}

function working(tasks: TaskService, { sight, grant }: Parts): Working {
  const as = (caller: Caller): Caller => ({ ...caller, grant })
  const within = async (taskId: string): Promise<{ task: Task; context: Context }> => {
    const task = await sight.task(taskId)
    const isOwn = task.createdBy?.tokenId === grant.tokenId
    return { task, context: await checkReach(task, { grant, tasks, isOwn }) }
  }
  return {
    start: async (request, caller) => {
      checkStart(request, grant)
      // A thread's id is known only to those who work in it; a task's stands in every list.
      if (request.parent && 'taskId' in request.parent) await sight.task(request.parent.taskId)
      return tasks.start({ ...request, ...ownKey(request, grant) }, as(caller))
    },
    send: async (taskId, message, caller) => {
      const { context } = await within(taskId)
      checkMessage(message.input, context)
      checkOverrides(message.overrides ?? {}, context)
      return tasks.send(taskId, message, as(caller))
    },
    cancelMessage: async (taskId, messageId, caller) => {
      await sight.task(taskId)
      const { messages } = await tasks.show(taskId, { events: 0 })
      const message = messages.find(({ id }) => id === messageId)
      if (message && message.actor !== caller.actor)
        throw aboveCeiling(grant, { what: 'take back a message of another', flag: null })
      return tasks.cancelMessage(taskId, messageId, as(caller))
    },
    interrupt: async (taskId, caller) => {
      await sight.task(taskId)
      return tasks.interrupt(taskId, as(caller))
    },
    fork: async (taskId, request, caller) => {
      const { context } = await within(taskId)
      checkMessage(request.prompt, context)
      return tasks.fork(taskId, { ...request, ...ownKey(request, grant) }, as(caller))
    },
    resume: async (taskId, options, caller) => {
      const { context } = await within(taskId)
      checkMessage(options.prompt, context)
      return tasks.resume(taskId, options, as(caller))
    },
    change: async (taskId, fields, caller) => {
      const task = await sight.task(taskId)
      checkChange(fields, { grant, cwd: task.cwd, sandbox: task.policy.sandbox ?? 'read-only' })
      return tasks.change(taskId, fields, as(caller))
    },
    decide: async (approvalId, decide, caller) => {
      const { task } = await sight.approval(approvalId)
      const kinship = await sight.kinshipOf(task)
      if (kinship !== 'foreign' && !grant.may.includes('answer-own')) throw lacks(grant, 'answer-own')
      if (kinship !== 'own' && !grant.may.includes('answer')) throw lacks(grant, 'answer')
      if (decide.answer === 'always' || decide.rule !== undefined)
        throw aboveCeiling(grant, { what: 'make a standing rule: answer once or session', flag: null })
      if (decide.retry) await within(task.id)
      if (decide.retry?.network) checkNetwork(true, { grant, cwd: task.cwd, sandbox: 'read-only' })
      return tasks.decide(approvalId, decide, as(caller))
    },
  }
}

/** Each token has its own keys: by another's, it would get another's task. */
function ownKey(
  { idempotencyKey }: { readonly idempotencyKey?: string | undefined },
  { tokenId }: Grant,
): { idempotencyKey?: string } {
  return idempotencyKey === undefined ? {} : { idempotencyKey: `${tokenId} ${idempotencyKey}` }
}

async function* followSeen(
  taskId: string,
  options: { after: number; signal: AbortSignal },
  { tasks, sight }: { tasks: TaskService; sight: Sight },
): AsyncGenerator<TaskEvent> {
  await sight.task(taskId)
  yield* tasks.follow(taskId, options)
}

/** How many tasks it is remembered of whether they are seen. */
const MAX_KNOWN = 10_000

async function* followAllSeen(
  options: { signal: AbortSignal },
  { tasks, sight }: { tasks: TaskService; sight: Sight },
): AsyncGenerator<TaskEvent> {
  const isSeen = new Map<string, boolean>()
  for await (const event of tasks.followAll(options)) {
    const known = isSeen.get(event.taskId)
    const sees = known ?? (await sight.find(event.taskId)) !== null
    if (known === undefined && isSeen.size < MAX_KNOWN) isSeen.set(event.taskId, sees)
    if (sees) yield event
  }
}
