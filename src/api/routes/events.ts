import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { z } from 'zod'
import { TaskError } from '../../tasks/index.ts'
import type { ApiApp, ApiEnv } from '../api-env.ts'
import { EventEnvelope, EventPage, EventQuery } from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { answers, REFUSED, type RouteParts, routesForAll } from '../route-parts.ts'
import { serviceFor } from '../service-for.ts'
import { eventList } from '../stream/event-text.ts'
import { streamResponse } from '../stream/stream-response.ts'
import { TaskParams } from './tasks.ts'

const tags = ['events']
const EVENT_STREAM = { 'text/event-stream': { schema: z.string() } }
const LastEventId = z.object({
  'last-event-id': z.string().optional().meta({ description: 'Go on after this sequence.' }),
})

const listEvents = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/events',
  tags,
  summary: 'A page of events, or a stream of them',
  description: 'With `Accept: text/event-stream` the same as /v1/tasks/{id}/events/stream.',
  request: { params: TaskParams, query: EventQuery },
  responses: {
    200: {
      description: 'In order.',
      content: { 'application/json': { schema: EventPage }, ...EVENT_STREAM },
    },
    default: REFUSED,
  },
})

const streamEvents = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/events/stream',
  tags,
  summary: 'Stored events, then live ones',
  description: 'Server-sent events. `id` is the sequence, `data` an Event. A comment comes every 15 seconds.',
  request: { params: TaskParams, query: EventQuery.pick({ after: true }), headers: LastEventId },
  responses: { 200: { description: 'A stream.', content: EVENT_STREAM }, default: REFUSED },
})

/** In a path it is always there, which a schema that coerces does not say. */
const Seq = z.coerce
  .number()
  .int()
  .min(0)
  .openapi({ param: { name: 'seq', in: 'path', required: true } })

const wholeEvent = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/events/{seq}',
  tags,
  summary: 'The whole of an event that was too large for the log',
  request: { params: TaskParams.extend({ seq: Seq }) },
  responses: answers(EventEnvelope.shape.event, 'The notification as codex wrote it.'),
})

const streamAll = createRoute({
  method: 'get',
  path: '/v1/stream',
  tags,
  summary: 'What happens to all tasks, live',
  description:
    'Events whose method begins with drawbridge/, without ids: after a new connection ask for the lists again.',
  responses: { 200: { description: 'A stream.', content: EVENT_STREAM }, default: REFUSED },
})

const DEFAULT_PAGE = { limit: 200, maxBytes: 1024 * 1024 }

export function addEventRoutes(app: ApiApp, parts: RouteParts): void {
  const add = routesForAll(app, parts.service)
  const stream = async (c: Context<ApiEnv>, taskId: string, after: number): Promise<Response> => {
    const service = serviceFor(c, parts.service)
    const from = lastEventId(c) ?? after
    refuseAhead(from, await service.get(taskId))
    const follow = (seq: number, signal: AbortSignal) => service.follow(taskId, { after: seq, signal })
    return streamResponse(c, { follow, after: from, isResumable: true }, parts)
  }
  add(streamEvents, (c) => stream(c, c.req.valid('param').id, c.req.valid('query').after ?? 0))
  add(listEvents, async (c, service) => {
    const { id } = c.req.valid('param')
    const query = c.req.valid('query')
    if (c.req.header('accept')?.includes('text/event-stream')) return stream(c, id, query.after ?? 0)
    if (query.after !== undefined && query.before !== undefined)
      throw new DoorError('bad-request', 'say either after or before')
    const { events, hasMore } = await service.events(id, { ...DEFAULT_PAGE, ...query })
    return rawJson(c, `{"events":${eventList(events)},"hasMore":${hasMore}}`)
  })
  add(wholeEvent, async (c, service) => {
    const { id, seq } = c.req.valid('param')
    return rawJson(c, await service.wholeEvent(id, seq))
  })
  add(streamAll, (c, service) =>
    streamResponse(
      c,
      { follow: (_, signal) => service.followAll({ signal }), after: 0, isResumable: false },
      parts,
    ),
  )
}

/** Whoever has seen more than there is would wait in vain: the numbers of what he saw are given again. */
function refuseAhead(after: number, { lastSeq }: { lastSeq: number }): void {
  if (after <= lastSeq) return
  throw new TaskError(
    'event-not-found',
    `there is no event ${after}: this log ends at ${lastSeq}. After a restored backup it may be shorter: follow it from 0`,
  )
}

/** A browser that reconnects says where it was in a header, and its address stays as it was. */
function lastEventId(c: Context<ApiEnv>): number | null {
  const id = c.req.header('last-event-id')
  if (id === undefined || id === '') return null
  if (!/^\d{1,15}$/.test(id)) throw new DoorError('bad-request', 'Last-Event-ID must be a sequence')
  return Number(id)
}

function rawJson(c: Context<ApiEnv>, json: string): Response {
  return c.body(json, 200, { 'content-type': 'application/json' })
}
