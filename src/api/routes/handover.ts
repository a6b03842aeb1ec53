// What the model hands over while it works: files, messages to the program, and the answers to them.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import type { DeliverableContent } from '../../tasks/index.ts'
import { type ApiApp, callerOf } from '../api-env.ts'
import type { OfferedFile } from '../api-options.ts'
import {
  AnswerCallerMessage,
  AnswerDeliverable,
  CallerMessage,
  CallerMessageList,
  CallerMessageQuery,
  Deliverable,
  DeliverableList,
} from '../contract.ts'
import { answers, jsonBody, REFUSED, type RouteParts, routesForAll } from '../route-parts.ts'
import { fileResponse } from '../stream/file-response.ts'
import { TaskParams } from './tasks.ts'

const tags = ['deliverables']

/** In a path it is always there, which a schema that coerces does not say. */
const Numbered = TaskParams.extend({
  number: z.coerce
    .number()
    .int()
    .min(1)
    .openapi({ param: { name: 'number', in: 'path', required: true } }),
})
const OfMessage = TaskParams.extend({ messageId: z.string().min(1).max(200) })

const listDeliverables = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/deliverables',
  tags,
  summary: 'Files that the model handed over',
  request: { params: TaskParams },
  responses: answers(DeliverableList, 'In the order they were handed over.'),
})

const downloadDeliverable = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/deliverables/{number}/content',
  tags,
  summary: 'The bytes of one',
  description: '`Range` with one range, and `If-Range`, are understood. Always an attachment of bytes.',
  request: { params: Numbered },
  responses: {
    200: {
      description: 'As they were when it was handed over. `repr-digest` has their SHA-256.',
      content: { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } },
    },
    206: {
      description: 'A part of them.',
      content: { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } },
    },
    default: REFUSED,
  },
})

const answerDeliverable = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/deliverables/{number}/answer',
  tags,
  summary: 'Accept one, or send it back with words',
  description: 'The first answer wins; a later one gets `deliverable-answered`.',
  request: { params: Numbered, body: jsonBody(AnswerDeliverable) },
  responses: answers(Deliverable, 'As it is now.'),
})

const clearAttention = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/seen',
  tags: ['tasks'],
  summary: 'Somebody has seen what the model wanted a person to see',
  request: { params: TaskParams },
  responses: { 204: { description: 'The mark is gone.' }, default: REFUSED },
})

const listCallerMessages = createRoute({
  method: 'get',
  path: '/v1/tasks/{id}/caller-messages',
  tags,
  summary: 'What the model told the program that embeds Drawbridge',
  request: { params: TaskParams, query: CallerMessageQuery },
  responses: answers(CallerMessageList, 'In order: the newest 200, or all of the status that was asked for.'),
})

const answerCallerMessage = createRoute({
  method: 'post',
  path: '/v1/tasks/{id}/caller-messages/{messageId}/answer',
  tags,
  summary: 'Answer one',
  description:
    'The first answer wins; a later one gets `caller-message-answered`. It is the result of the call that waits for it, ' +
    'else a message to the task.',
  request: { params: OfMessage, body: jsonBody(AnswerCallerMessage) },
  responses: answers(CallerMessage, 'As it is now.'),
})

export function addHandoverRoutes(app: ApiApp, parts: RouteParts): void {
  const add = routesForAll(app, parts.service)
  add(listDeliverables, async (c, tasks) =>
    c.json({ items: [...(await tasks.deliverables(c.req.valid('param').id))] }),
  )
  add(downloadDeliverable, async (c, tasks) => {
    const { id, number } = c.req.valid('param')
    const content = await tasks.deliverableContent(id, number)
    const response = await fileResponse(c, offered(content), parts)
    const digest = Buffer.from(content.deliverable.sha256, 'hex').toString('base64')
    response.headers.set('repr-digest', `sha-256=:${digest}:`)
    return response
  })
  add(answerDeliverable, async (c, tasks) => {
    const { id, number } = c.req.valid('param')
    return c.json(await tasks.answerDeliverable(id, number, c.req.valid('json'), callerOf(c)))
  })
  add(clearAttention, async (c, tasks) => {
    await tasks.clearAttention(c.req.valid('param').id, callerOf(c))
    return c.body(null, 204)
  })
  add(listCallerMessages, async (c, tasks) =>
    c.json({ items: [...(await tasks.callerMessages(c.req.valid('param').id, c.req.valid('query')))] }),
  )
  add(answerCallerMessage, async (c, tasks) => {
    const { id, messageId } = c.req.valid('param')
    const { value = null } = c.req.valid('json')
    return c.json(await tasks.answerCallerMessage(id, messageId, { value }, callerOf(c)))
  })
}

/** Offered like a file of a task. Its bytes come in order only: those before a range are read and left out. */
function offered({ deliverable, bytes }: DeliverableContent): OfferedFile {
  const { name, sha256, createdAt } = deliverable
  return {
    ...{ name, bytes: deliverable.bytes, modifiedAt: createdAt, tag: sha256 },
    read: ({ from, to }) => slice(bytes, from, to + 1),
    close: async () => {},
  }
}

/** Throws when the bytes end before `end`: a download must not look whole. */
async function* slice(
  bytes: AsyncIterable<Uint8Array>,
  from: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  let at = 0
  for await (const chunk of bytes) {
    const wanted = chunk.subarray(Math.max(0, from - at), end - at)
    at += chunk.byteLength
    if (wanted.byteLength > 0) yield wanted
    if (at >= end) return
  }
  throw new Error(`a deliverable has ${at} bytes where at least ${end} were stored`)
}
