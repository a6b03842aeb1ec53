import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { type ApiApp, callerOf } from '../api-env.ts'
import { Worker, WorkerList } from '../contract.ts'
import { addRoute, answers, type RouteParts } from '../route-parts.ts'

const tags = ['workers']
const params = z.object({ id: z.string().min(1).max(200) })

const listWorkers = createRoute({
  method: 'get',
  path: '/v1/workers',
  tags,
  summary: 'Services that share the database',
  description: 'Stopped and lost ones included. On SQLite: the one service.',
  responses: answers(WorkerList, 'All of them.'),
})

const drainWorker = createRoute({
  method: 'post',
  path: '/v1/workers/{id}/drain',
  tags,
  summary: 'Give a worker no new tasks',
  description: 'The tasks it has stay with it and go on. Draining a draining worker changes nothing.',
  request: { params },
  responses: answers(Worker, 'As it is now.'),
})

const undrainWorker = createRoute({
  method: 'post',
  path: '/v1/workers/{id}/undrain',
  tags,
  summary: 'Give a drained worker new tasks again',
  request: { params },
  responses: answers(Worker, 'As it is now.'),
})

export function addWorkerRoutes(app: ApiApp, { service }: RouteParts): void {
  addRoute(app, listWorkers, async (c) => c.json({ items: await service.workers() }))
  addRoute(app, drainWorker, async (c) =>
    c.json(await service.drainWorker(c.req.valid('param').id, { isDraining: true }, callerOf(c))),
  )
  addRoute(app, undrainWorker, async (c) =>
    c.json(await service.drainWorker(c.req.valid('param').id, { isDraining: false }, callerOf(c))),
  )
}
