import { createRoute } from '@hono/zod-openapi'
import { VERSION } from '../../codex/index.ts'
import { type ApiApp, credentialOf } from '../api-env.ts'
import { Accepted, DoctorReport, ModelList, Shutdown, Status } from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { addRoute, answers, optionalJsonBody, type RouteParts, routesForAll } from '../route-parts.ts'
import { tokenOnly } from './token-only.ts'

const tags = ['system']

const getStatus = createRoute({
  method: 'get',
  path: '/v1/status',
  tags,
  summary: 'The service, and who you are to it',
  responses: answers(Status, 'As it is now.'),
})

const listModels = createRoute({
  method: 'get',
  path: '/v1/models',
  tags,
  summary: 'Models codex offers',
  responses: answers(ModelList, 'As codex lists them.'),
})

const checkUp = createRoute({
  method: 'get',
  path: '/v1/doctor',
  tags,
  summary: 'Whether codex can run here',
  description:
    'Starts a codex of its own, asks it a few questions and ends it: a matter of seconds. No model is called, nothing ' +
    'is changed, no task notices. What was found is given again for a moment.',
  responses: answers(DoctorReport, 'What was found.'),
})

const shutdown = createRoute({
  method: 'post',
  path: '/v1/shutdown',
  tags,
  summary: 'Stop the service',
  description: 'With the token only: a browser cannot do this.',
  request: { body: optionalJsonBody(Shutdown) },
  responses: answers(Accepted, 'It is stopping.', 202),
})

export function addSystemRoutes(app: ApiApp, parts: RouteParts): void {
  const { startedAt, onShutdown, offers, database, doctor } = parts
  const add = routesForAll(app, parts.service)
  let isStopping = false
  add(getStatus, async (c, service) => {
    const { actor, grant } = credentialOf(c)
    const mayCount = grant === null || grant.may.includes('read')
    const counts = mayCount ? await service.counts() : null
    const facts = { version: VERSION, startedAt, pid: process.pid, isStopping, actor, counts }
    // Where things are on this machine is the owner's.
    const places = grant === null ? { database, ...offers } : { database: null, demo: null, defaultCwd: null }
    return c.json({ ...facts, ...places, grant })
  })
  add(listModels, async (c, service) => c.json({ items: await service.models() }))
  addRoute(app, checkUp, async (c) => {
    if (!doctor) throw new DoorError('not-supported', 'this service has no doctor')
    return c.json(await doctor())
  })
  addRoute(app, shutdown, (c) => {
    tokenOnly(c)
    isStopping = true
    const { drain = true } = c.req.valid('json')
    // Answer first: the end takes the connection with it.
    setImmediate(() => onShutdown({ drain }))
    return c.json({ accepted: true }, 202)
  })
}
