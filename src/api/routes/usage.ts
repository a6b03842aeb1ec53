import { createRoute } from '@hono/zod-openapi'
import type { ApiApp } from '../api-env.ts'
import { Usage, UsageQuery } from '../contract.ts'
import { answers, type RouteParts, routesForAll } from '../route-parts.ts'

const getUsage = createRoute({
  method: 'get',
  path: '/v1/usage',
  tags: ['system'],
  summary: 'Turns, tokens and questions by day',
  description: 'Exact, and kept when events are pruned and tasks are deleted.',
  request: { query: UsageQuery },
  responses: answers(Usage, 'Each of the days, and all of them together.'),
})

export function addUsageRoutes(app: ApiApp, parts: RouteParts): void {
  const add = routesForAll(app, parts.service)
  add(getUsage, async (c, service) => c.json(await service.usage(c.req.valid('query'))))
}
