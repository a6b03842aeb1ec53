// Whose account codex works with. Not to be confused with browsers that were let in: those are in `logins.ts`.
import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import type { AccountService } from '../../tasks/index.ts'
import type { ApiApp } from '../api-env.ts'
import { Account, AccountLogin, StartAccountLogin } from '../contract.ts'
import { DoorError } from '../door-error.ts'
import { addRoute, answers, jsonBody, REFUSED, type RouteParts } from '../route-parts.ts'

const tags = ['account']

const getAccount = createRoute({
  method: 'get',
  path: '/v1/account',
  tags,
  summary: "codex's account and its limits",
  responses: answers(Account, 'As codex tells it.'),
})

const getLogin = createRoute({
  method: 'get',
  path: '/v1/account/login',
  tags,
  summary: 'How far the last login is',
  responses: answers(AccountLogin, 'As it is now; of another service, or an earlier one, nothing is known.'),
})

const startLogin = createRoute({
  method: 'post',
  path: '/v1/account/login',
  tags,
  summary: 'Log codex in',
  description:
    'By a code: it is pending until somebody has typed the code in at the address; the same one is given again until then. ' +
    'With a key: done at once; whether the key is any good shows when codex uses it.',
  request: { body: jsonBody(StartAccountLogin) },
  responses: answers(AccountLogin, 'As it is now.'),
})

const cancelLogin = createRoute({
  method: 'delete',
  path: '/v1/account/login/{id}',
  tags,
  summary: 'Take back a login that is pending',
  request: { params: z.object({ id: z.string().min(1).max(200) }) },
  responses: answers(AccountLogin, 'As it is now.'),
})

const logout = createRoute({
  method: 'post',
  path: '/v1/account/logout',
  tags,
  summary: 'Log codex out',
  description: 'Turns that run will fail at their next call of the model.',
  responses: { 204: { description: 'codex has forgotten its login.' }, default: REFUSED },
})

export function addAccountRoutes(app: ApiApp, { service }: RouteParts): void {
  const account = (): AccountService => {
    if (!service.account) throw new DoorError('not-supported', 'this service does not know the account')
    return service.account
  }
  addRoute(app, getAccount, async (c) => c.json(await account().read()))
  addRoute(app, getLogin, (c) => c.json(account().login()))
  addRoute(app, startLogin, async (c) => c.json(await account().startLogin(c.req.valid('json'))))
  addRoute(app, cancelLogin, async (c) => {
    const login = await account().cancelLogin(c.req.valid('param').id)
    if (login === null) throw new DoorError('not-found', 'no such login is pending')
    return c.json(login)
  })
  addRoute(app, logout, async (c) => {
    await account().logout()
    return c.body(null, 204)
  })
}
