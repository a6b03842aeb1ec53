// What a named token sees.
import type { TaskEvent } from '../../store/index.ts'
import type { FilePlace, TaskService } from '../model/index.ts'
import type { BoundWork } from './bound-work.ts'
import { checkCwd } from './ceiling.ts'
import type { BoundedMethods } from './needs.ts'
import { aboveCeiling } from './not-permitted.ts'
import type { GrantParts, Sight } from './sight.ts'

type BoundReads = Omit<BoundedMethods, keyof BoundWork>

export function boundReads(tasks: TaskService, { sight, grant }: GrantParts): BoundReads {
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
    uploads: seen((taskId) => tasks.uploads(taskId)),
    placeToRead: (taskId) => readablePlace(taskId, { sight, grant }),
    deliverables: seen((taskId) => tasks.deliverables(taskId)),
    deliverableContent: seen((taskId, number) => tasks.deliverableContent(taskId, number)),
    callerMessages: seen((taskId, query) => tasks.callerMessages(taskId, query)),
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

/** Of its own tasks alone: what others' folders have in them was never meant for it. Nothing outside of its own folders. */
async function readablePlace(taskId: string, { sight, grant }: GrantParts): Promise<FilePlace> {
  const task = await sight.task(taskId)
  if ((await sight.kinshipOf(task)) !== 'own')
    throw aboveCeiling(grant, { what: 'read files of a task that another started', flag: null })
  const { cwd, host, policy } = task
  checkCwd(cwd, { grant, cwd, host, sandbox: policy.sandbox ?? 'read-only' })
  return { task, within: grant.ceiling.folders }
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
