// The task service as tools use it, over the HTTP API: a program on stdio outlives the service, and each call finds it.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ApiError, type EventEnvelope } from '../../api/index.ts'
import type { McpTasks } from '../../mcp/index.ts'
import type { Approval, EventPage, Page, Task, TaskEvent } from '../../tasks/index.ts'
import type { ServiceLink } from './service-link.ts'

/** A service that is being restarted is back sooner. */
const REVIVE_ATTEMPT = 3

export function remoteTasks(link: ServiceLink): McpTasks {
  return {
    // With a key of its own where the client gave none: the call may have to be made again.
    start: ({ idempotencyKey: key = randomUUID(), ...request }, { signal }) =>
      link.call(async ({ tasks }) => same<Task>(await tasks.start(same(request), { key, signal })), {
        mayStart: true,
      }),
    list: (query) => link.call(async ({ tasks }) => same<Page<Task>>(await tasks.list(same(query)))),
    get: (taskId) => link.call(async ({ tasks }) => same<Task>(await tasks.get(taskId))),
    show: (taskId, options) => link.call(async ({ tasks }) => same(await tasks.show(taskId, options))),
    send: (taskId, { input, mode, clientMessageId: key = randomUUID() }, { signal }) =>
      link.call(({ tasks }) =>
        mode === 'steer'
          ? tasks.steer(taskId, same({ input }), { key, signal })
          : tasks.send(taskId, same({ input }), { key, signal }),
      ),
    interrupt: (taskId, { signal }) =>
      link.call(async ({ tasks }) => same<Task>(await tasks.interrupt(taskId, { signal }))),
    fork: (taskId, { idempotencyKey: key = randomUUID(), ...request }, { signal }) =>
      link.call(async ({ tasks }) => same<Task>(await tasks.fork(taskId, same(request), { key, signal }))),
    resume: (taskId, request, { signal }) =>
      link.call(async ({ tasks }) => same<Task>(await tasks.resume(taskId, same(request), { signal })), {
        // It has no key: a second one could queue the prompt twice.
        isOnce: true,
      }),
    follow: (taskId, options) => followed(taskId, options, link),
    events: (taskId, query) =>
      link.call(async ({ tasks }): Promise<EventPage> => {
        const { events, hasMore } = await tasks.events(taskId, query)
        return { events: events.map((event) => eventOf(taskId, event)), hasMore }
      }),
    approvals: (query) =>
      link.call(async (client) => same<Page<Approval>>(await client.approvals(same(query)))),
    approval: (approvalId) => link.call(async (client) => same<Approval>(await client.approval(approvalId))),
    decide: (approvalId, decide, { signal, actor }) =>
      link.call(async (client, { isAgain }) => {
        const answering = client.answer(approvalId, same(decide), { signal })
        return same<Approval>(
          await answering.catch((error: unknown) => {
            const won = isAgain ? settledBy(error) : null
            if (won?.actor === actor && isDeepStrictEqual(won.answer, decide.answer)) return won
            throw error
          }),
        )
      }),
    notices: (query) => link.call((client) => client.notices(same(query))),
    retryNotice: (noticeId, { signal }) => link.call((client) => client.retryNotice(noticeId, { signal })),
    dryRunNotice: (noticeId) => link.call(async (client) => same(await client.dryRunNotice(noticeId))),
    models: () => link.call((client) => client.models()),
  }
}

/** The approval that an answer came too late for. */
function settledBy(error: unknown): Approval | null {
  if (!(error instanceof ApiError) || error.code !== 'approval-settled') return null
  return (error.details as { approval?: Approval } | undefined)?.approval ?? null
}

/** The stream goes on by itself when the service is restarted. */
async function* followed(
  taskId: string,
  { after, signal }: { after: number; signal: AbortSignal },
  link: ServiceLink,
): AsyncGenerator<TaskEvent> {
  const onReconnect = (_: unknown, attempt: number) => {
    if (attempt === REVIVE_ATTEMPT) link.revive()
  }
  const events = await link.call(async ({ tasks }) => tasks.follow(taskId, { after, signal, onReconnect }))
  for await (const event of events) yield eventOf(taskId, event)
}

function eventOf(taskId: string, { seq, at, event }: EventEnvelope): TaskEvent {
  return { taskId, seq, at, method: event.method, frame: JSON.stringify(event) }
}

/** The contract of the API and the task service describe the same values: `contract/agreement.test.ts` proves it. */
function same<T>(value: unknown): T {
  return value as T
}
