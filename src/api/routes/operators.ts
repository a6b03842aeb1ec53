// For programs that look after the service: is it there, how is it doing, how is it spoken to.
import { createRoute, z } from '@hono/zod-openapi'
import { VERSION } from '../../codex/index.ts'
import { StoreError } from '../../tasks/index.ts'
import type { ApiApp } from '../api-env.ts'
import { addRoute, REFUSED, type RouteParts } from '../route-parts.ts'

const tags = ['operators']

const getHealth = createRoute({
  method: 'get',
  path: '/healthz',
  tags,
  summary: 'Whether it is there and ready',
  description: 'Without a token. 503 while its database cannot be reached.',
  security: [],
  responses: {
    200: {
      description: 'It is.',
      content: { 'application/json': { schema: z.object({ status: z.literal('ok') }) } },
    },
    503: REFUSED,
  },
})

const getMetrics = createRoute({
  method: 'get',
  path: '/metrics',
  tags,
  summary: 'How it is doing, for Prometheus',
  responses: {
    200: { description: 'As text.', content: { 'text/plain': { schema: z.string() } } },
    default: REFUSED,
  },
})

export function addOperatorRoutes(
  app: ApiApp,
  { service, metrics, streams, now, isReady }: RouteParts,
): void {
  addRoute(app, getHealth, async (c) => {
    if (await isReady()) return c.json({ status: 'ok' })
    throw new StoreError('database-unreachable', 'the database cannot be reached')
  })
  addRoute(app, getMetrics, async (c) => {
    const text = await metrics.text(service, { now: now(), streams: streams.count })
    return c.body(text, 200, { 'content-type': metrics.contentType })
  })
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
  app.openAPIRegistry.registerComponent('securitySchemes', 'cookie', {
    type: 'apiKey',
    in: 'cookie',
    name: 'drawbridge',
  })
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'Drawbridge',
      version: VERSION,
      description: 'Runs OpenAI Codex for you; people keep the gate.',
    },
    security: [{ token: [] }, { cookie: [] }],
  })
}
