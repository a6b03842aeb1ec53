import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { type ApiApp, callerOf } from '../api-env.ts'
import { Notice, NoticeDryRun, NoticeListQuery, pageOf } from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { addRoute, answers, type RouteParts, routesForAll } from '../route-parts.ts'

const tags = ['notices']
const params = z.object({ id: z.string().min(1).max(200) })

const listNotices = createRoute({
  method: 'get',
  path: '/v1/notices',
  tags,
  summary: 'What people were told, or are still to be told',
  request: { query: NoticeListQuery },
  responses: answers(pageOf(Notice).meta({ id: 'NoticePage' }), 'A page, newest first.'),
})

const retryNotice = createRoute({
  method: 'post',
  path: '/v1/notices/{id}/retry',
  tags,
  summary: 'Try to send it again now',
  request: { params },
  responses: answers(Notice, 'As it is now.'),
})

const dryRunNotice = createRoute({
  method: 'get',
  path: '/v1/notices/{id}/dry-run',
  tags,
  summary: 'What would be sent',
  request: { params },
  responses: answers(NoticeDryRun, 'Nothing was sent.'),
})

export function addNoticeRoutes(app: ApiApp, parts: RouteParts): void {
  const add = routesForAll(app, parts.service)
  add(listNotices, async (c, service) => c.json(await service.notices(c.req.valid('query'))))
  add(retryNotice, async (c, service) =>
    c.json(await service.retryNotice(c.req.valid('param').id, callerOf(c))),
  )
  addRoute(app, dryRunNotice, async (c) => {
    const { service } = parts
    if (!service.dryRunNotice)
      throw new DoorError('not-supported', 'this service cannot say what it would send')
    return c.json(await service.dryRunNotice(c.req.valid('param').id))
  })
}
