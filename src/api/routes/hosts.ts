// Machines that tasks run on: this one, and those that the owner has added.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { hostOfHome } from '../../tasks/index.ts'
import { type ApiApp, callerOf, credentialOf } from '../api-env.ts'
import type { HostDoor } from '../api-options.ts'
import { Accepted, AddHost, CheckedHost, CheckHost, Host, HostList } from '../contract.ts'
import { DoorError } from '../door-error.ts'
import {
  addRoute,
  answers,
  jsonBody,
  optionalJsonBody,
  type RouteParts,
  routesForAll,
} from '../route-parts.ts'
import { tokenOnly } from './token-only.ts'

const tags = ['hosts']
const params = z.object({ name: z.string().min(1).max(200) })

const listHosts = createRoute({
  method: 'get',
  path: '/v1/hosts',
  tags,
  summary: 'Where codex runs, its processes, and other machines for tasks',
  responses: answers(HostList, 'All of them; a named token is told of this machine only.'),
})

const addHost = createRoute({
  method: 'post',
  path: '/v1/hosts',
  tags,
  summary: 'Add a machine that is reached with ssh',
  description: "With the owner's token only: a browser cannot do this. Nothing is connected yet.",
  request: { body: jsonBody(AddHost) },
  responses: answers(Host, 'Added.', 201),
})

const checkHost = createRoute({
  method: 'post',
  path: '/v1/hosts/{name}/check',
  tags,
  summary: 'Connect to a host and look at it',
  description: "With the owner's token only. An unknown key is told of and has to be confirmed.",
  request: { params, body: optionalJsonBody(CheckHost) },
  responses: answers(CheckedHost, 'What was found.'),
})

const removeHost = createRoute({
  method: 'delete',
  path: '/v1/hosts/{name}',
  tags,
  summary: 'Forget a host',
  description: 'Tasks on it wait until it is added again. Nothing on the host is changed.',
  request: { params },
  responses: answers(Accepted, 'Forgotten.'),
})

export function addHostRoutes(app: ApiApp, parts: RouteParts): void {
  const door = (): HostDoor => {
    if (parts.hosts === null) throw new DoorError('not-supported', 'this service has no other hosts')
    return parts.hosts
  }
  routesForAll(app, parts.service)(listHosts, async (c, service) => {
    const { grant } = credentialOf(c)
    const others = grant === null && parts.hosts ? await parts.hosts.list() : []
    const all = service.appServers()
    const on = (host: string | null) => all.filter(({ key }) => hostOfHome(key.codexHome) === host)
    const local = { id: 'local', kind: 'local' as const, appServers: on(null), ssh: null }
    return c.json({ items: [local, ...others.map((host) => ({ ...host, appServers: on(host.id) }))] })
  })
  addRoute(app, addHost, async (c) => {
    tokenOnly(c)
    return c.json(await door().add(c.req.valid('json'), { by: callerOf(c).actor }), 201)
  })
  addRoute(app, checkHost, async (c) => {
    tokenOnly(c)
    return c.json(await door().check(c.req.valid('param').name, c.req.valid('json')))
  })
  addRoute(app, removeHost, async (c) => {
    tokenOnly(c)
    const { name } = c.req.valid('param')
    if (!(await door().remove(name))) throw new DoorError('not-found', `there is no host ${name}`)
    return c.json({ accepted: true })
  })
}
