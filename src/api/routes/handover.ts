// What the model hands over while it works: files, messages to the program, and the answers to them.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import type { DeliverableContent } from '../../tasks/index.ts'
import { type ApiApp, callerOf } from '../api-env.ts'
import {
  AnswerCallerMessage,
  AnswerDeliverable,
  CallerMessage,
  CallerMessageList,
  Deliverable,
  DeliverableList,
} from '../contract.ts'
import { answers, jsonBody, REFUSED, type RouteParts, routesForAll } from '../route-parts.ts'
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
  request: { params: Numbered },
  responses: {
    200: {
      description: 'As they were when it was handed over. `repr-digest` has their SHA-256.',
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
  request: { params: TaskParams },
  responses: answers(CallerMessageList, 'The newest 200, in order.'),
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

export function addHandoverRoutes(app: ApiApp, { service }: RouteParts): void {
  const add = routesForAll(app, service)
  add(listDeliverables, async (c, tasks) =>
    c.json({ items: [...(await tasks.deliverables(c.req.valid('param').id))] }),
  )
  add(downloadDeliverable, async (c, tasks) => {
    const { id, number } = c.req.valid('param')
    return download(await tasks.deliverableContent(id, number))
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
    c.json({ items: [...(await tasks.callerMessages(c.req.valid('param').id))] }),
  )
  add(answerCallerMessage, async (c, tasks) => {
    const { id, messageId } = c.req.valid('param')
    const { value = null } = c.req.valid('json')
    return c.json(await tasks.answerCallerMessage(id, messageId, { value }, callerOf(c)))
  })
}

/** Never as a page: a browser must not run what a model wrote. */
function download({ deliverable: { name, bytes: size, sha256 }, bytes }: DeliverableContent): Response {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  return new Response(ReadableStream.from(bytes), {
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(size),
      'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encoded(name)}`,
      'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
      etag: `"${sha256}"`,
    },
  })
}

function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
}
